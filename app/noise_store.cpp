#include "app/noise_store.h"

#include "base/hash.h"

namespace hone::app {
namespace {

Result<Path> certificate_file(const std::string& key) {
  HONE_TRY(const Path cache, cache_folder());
  constexpr std::size_t enough = 16;
  return cache / "noise" / (key.substr(0, enough) + ".json");
}

}  // namespace

std::string noise_key(const SearchEnvironment& environment) {
  Sha256 hash;
  for (const char* fact : {"cpu", "cores", "kernel", "tool_version"}) {
    const auto found = environment.facts.find(fact);
    hash.add_field(found != environment.facts.end() ? found->second : "");
  }
  return hash.finish().hex();
}

Result<std::optional<NoiseCertificate>> load_certificate(const SearchEnvironment& environment) {
  HONE_TRY(const Path file, certificate_file(noise_key(environment)));
  const auto text = read_file(file);
  if (!text) return std::optional<NoiseCertificate>();
  HONE_TRY(const Json document, Json::parse(*text));
  HONE_TRY(NoiseCertificate certificate,
           from_document<NoiseCertificate>(document, search_schema_version));
  if (certificate.machine != noise_key(environment)) return std::optional<NoiseCertificate>();
  return std::optional(std::move(certificate));
}

Status save_certificate(const NoiseCertificate& certificate) {
  HONE_TRY(const Path file, certificate_file(certificate.machine));
  std::error_code problem;
  std::filesystem::create_directories(file.parent_path(), problem);
  return write_file(file, to_document(certificate, search_schema_version).dump() + "\n");
}

}  // namespace hone::app
