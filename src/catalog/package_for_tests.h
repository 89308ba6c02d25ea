#pragma once
// Packages that tests publish: files that exist, with their digests.

#include <string>

#include "base/hash.h"
#include "catalog/publisher.h"

namespace hone::testing {

inline PackageFile file_of(const Path& folder, const std::string& path, const std::string& bytes) {
  const Path local = folder / ("local-" + sha256(path + bytes).hex().substr(0, 12));
  HONE_CHECK(write_file(local, bytes).has_value());
  return {path, sha256(bytes).hex(), bytes.size(), local};
}

// Bytes that look like weights: the same for one seed, different for another.
inline std::string bytes_for(std::uint64_t seed, std::size_t count) {
  std::string bytes(count, '\0');
  std::uint64_t state = seed * 2654435761u + 12345;
  for (char& byte : bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<char>(state >> 56);
  }
  return bytes;
}

inline Package package_of(std::vector<PackageFile> files,
                          const std::string& version = "0.0.0-run1-cpu-model") {
  Package package;
  package.version = version;
  package.description = "a model for a test";
  package.files = std::move(files);
  return package;
}

// Waits that a test can afford.
inline PublisherSettings hurried() {
  PublisherSettings settings;
  settings.attempts = 4;
  settings.first_wait = std::chrono::milliseconds(5);
  settings.patience = std::chrono::seconds(20);
  return settings;
}

inline std::unique_ptr<Destination> opened(const std::string& address,
                                           const PublisherSettings& settings = hurried()) {
  auto destination = open_destination(address, settings);
  HONE_CHECK(destination.has_value());
  return std::move(*destination);
}

}  // namespace hone::testing
