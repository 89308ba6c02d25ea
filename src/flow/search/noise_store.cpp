#include "flow/search/noise_store.h"

#include "base/hash.h"
#include "pipeline/policy.h"
#include "runtime/ep_names.h"

namespace hone {
namespace {

std::optional<Path> certificate_file(const Host& host, const std::string& key) {
  if (host.cache.empty()) return std::nullopt;
  constexpr std::size_t enough = 16;
  return Path(host.cache) / "noise" / (key.substr(0, enough) + ".json");
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
  for (const char* name : {"cpu", "cores", "kernel", "tool_version"})
    hash.add_field(environment.fact(name));
  if (const std::string accelerator = environment.fact("accelerator"); !accelerator.empty())
    hash.add_field(accelerator);
  hash.add_field(ep_short_name(target.ep)).add_field(usual_device(target));
  return hash.finish().hex();
}

std::optional<Path> certificate_path(const Host& host, const SearchEnvironment& environment,
                                     const Target& target) {
  return certificate_file(host, noise_key(environment, target));
}

std::optional<NoiseCertificate> load_certificate(const Host& host,
                                                 const SearchEnvironment& environment,
                                                 const Target& target) {
  const auto file = certificate_path(host, environment, target);
  return file ? read_certificate(*file, noise_key(environment, target)) : std::nullopt;
}

Result<NoiseCertificate> save_certificate(const Host& host, const NoiseCertificate& certificate,
                                          Replacing replacing) {
  const auto file = certificate_file(host, certificate.machine);
  if (!file)
    return fail(Fault::not_found, "there is no place for a noise certificate", "no cache is kept");
  auto stored = read_certificate(*file, certificate.machine);
  const bool is_weaker = stored && certificate.trials < stored->trials;
  if (is_weaker && replacing == Replacing::what_is_weaker) return *std::move(stored);
  std::error_code problem;
  std::filesystem::create_directories(file->parent_path(), problem);
  HONE_TRY_DO(write_file(*file, to_document(certificate, search_schema_version).dump() + "\n"));
  return certificate;
}

}  // namespace hone
