#include "app/noise_store.h"

#include "base/hash.h"
#include "pipeline/policy.h"
#include "runtime/ep_names.h"

namespace hone::app {
namespace {

Result<Path> certificate_file(const std::string& key) {
  HONE_TRY(const Path cache, cache_folder());
  constexpr std::size_t enough = 16;
  return cache / "noise" / (key.substr(0, enough) + ".json");
}

// Nothing where there is none, or none that can be read.
std::optional<NoiseCertificate> read_certificate(const Path& file, const std::string& key) {
  const auto read = [&]() -> Result<NoiseCertificate> {
    HONE_TRY(const std::string text, read_file(file));
    HONE_TRY(const Json document, Json::parse(text));
    return from_document<NoiseCertificate>(document, search_schema_version);
  };
  auto certificate = read();
  const bool is_of_key = certificate && certificate->machine == key;
  return is_of_key ? std::optional(*std::move(certificate)) : std::nullopt;
}

}  // namespace

std::string noise_key(const SearchEnvironment& environment, const Target& target) {
  Sha256 hash;
  for (const char* fact : {"cpu", "cores", "kernel", "tool_version"}) {
    const auto found = environment.facts.find(fact);
    hash.add_field(found != environment.facts.end() ? found->second : "");
  }
  hash.add_field(ep_short_name(target.ep)).add_field(usual_device(target));
  return hash.finish().hex();
}

Result<Path> certificate_path(const SearchEnvironment& environment, const Target& target) {
  return certificate_file(noise_key(environment, target));
}

Result<std::optional<NoiseCertificate>> load_certificate(const SearchEnvironment& environment,
                                                         const Target& target) {
  HONE_TRY(const Path file, certificate_path(environment, target));
  return read_certificate(file, noise_key(environment, target));
}

Result<NoiseCertificate> save_certificate(const NoiseCertificate& certificate,
                                          Replacing replacing) {
  HONE_TRY(const Path file, certificate_file(certificate.machine));
  auto stored = read_certificate(file, certificate.machine);
  const bool is_weaker = stored && certificate.trials < stored->trials;
  if (is_weaker && replacing == Replacing::what_is_weaker) return *std::move(stored);
  std::error_code problem;
  std::filesystem::create_directories(file.parent_path(), problem);
  HONE_TRY_DO(write_file(file, to_document(certificate, search_schema_version).dump() + "\n"));
  return certificate;
}

}  // namespace hone::app
