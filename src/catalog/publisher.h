#pragma once
// Where packages go to, and come from. A publisher is one file in publishers/ that returns a
// Publisher, and one line in publishers.inc.

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/http_settings.h"
#include "base/progress.h"
#include "base/result.h"
#include "record/publish.h"

namespace hone {

struct PackageFile {
  std::string path;    // inside the package, '/' between folders; checked
  std::string sha256;  // 64 lowercase digits
  std::uint64_t bytes = 0;
  Path local;
};

struct Package {
  std::string version;  // of version_of()
  std::string description;
  std::vector<PackageFile> files;
  std::map<std::string, std::string> annotations;
  std::optional<PackageFile> evidence;  // what the package's claims rest on, attached to it
};

// What only the program knows: the environment, and what was asked for.
struct PublisherSettings {
  TrustStore trust{};
  ProxySettings proxy{};
  Path docker_config{};                   // the folder of docker's config.json; empty: none
  std::string token{};                    // for the registry, in the place of docker's credentials
  std::vector<std::string> mount_from{};  // repositories of the same registry to take blobs from
  std::string package_name = "hone-models";  // az: where the address names none
  std::string az = "az";                     // the program
  // az: where a package is put together before it is sent, at no cost on the disk of its files;
  // empty: the system's temporary folder.
  Path scratch{};
  std::uint64_t chunk_bytes = std::uint64_t{8} << 20;
  int attempts = 5;                            // of one request, before its failure counts
  std::chrono::milliseconds first_wait{500};   // before the second; each wait is twice the last
  std::chrono::milliseconds patience{60'000};  // with a server that says nothing
};

struct PublishOptions {
  bool skip_existing = false;
  std::chrono::milliseconds timeout{600'000};
  ByteProgress progress{};
};

struct FetchOptions {
  std::vector<std::string> files{};  // paths inside the package; empty: all
  std::chrono::milliseconds timeout{3'600'000};
  ByteProgress progress{};
};

enum class Access { read, write };

// One place, opened.
class Destination {
 public:
  virtual ~Destination() = default;

  // Asked before any work: is it there, does it let us in, and does it let us write?
  virtual Status ready(Access access) = 0;

  // Sends what is not there yet, the part that makes it a package last, and asks for it again.
  // Every end is a Published.
  virtual Published publish(const Package& package, const PublishOptions& options) = 0;

  // The versions of one run that are there. Where that cannot be asked it is an error, and never an
  // empty list: who believed it would build everything again.
  virtual Result<std::vector<std::string>> versions(std::string_view run_stamp) = 0;

  // What the package there says of itself, by name; an error where it cannot be asked.
  virtual Result<std::map<std::string, std::string>> annotations(const std::string& version) = 0;

  // Into a folder that is not there yet, and that appears once every digest is what it should be.
  virtual Result<Fetched> fetch(const std::string& version, const Path& into,
                                const FetchOptions& options) = 0;

  // The bytes of every piece of evidence that is attached to the package, each held to its digest;
  // none where there is none. `digest` is what fetch() told of the package: evidence about anything
  // else is an error, and so is a piece that cannot be had, for nobody knows what it would say.
  virtual Result<std::vector<std::string>> evidence(const std::string& version,
                                                    const std::string& digest) = 0;
};

// Evidence is a few hundred KiB; what is larger is none.
inline constexpr std::uint64_t most_evidence_bytes = std::uint64_t{64} << 20;

struct Publisher {
  std::string_view scheme;
  std::string_view summary;
  std::string_view form;  // of its addresses: "oci://HOST[:PORT]/REPOSITORY"
  // `place` is the address behind "scheme://".
  Result<std::unique_ptr<Destination>> (*open)(std::string_view place,
                                               const PublisherSettings& settings);
  // Where an address may name the package inside the place: that name, or `otherwise`. Null where
  // addresses have none.
  Result<std::string> (*package_of)(std::string_view place, const std::string& otherwise) = nullptr;
};

std::span<const Publisher> all_publishers();
// The one of "scheme://...", and what is behind it; the error lists what addresses look like.
struct PlaceOfPublisher {
  const Publisher* publisher;
  std::string_view place;
};
Result<PlaceOfPublisher> find_publisher(std::string_view address);
// "oci://HOST[:PORT]/REPOSITORY, file:///FOLDER, ...", each with `suffix` behind it.
std::string publisher_forms(std::string_view suffix = {});

// "oci://host/repository", "file:///folder", "az://org/project/feed".
Result<std::unique_ptr<Destination>> open_destination(std::string_view address,
                                                      const PublisherSettings& settings);

// "oci://host/repository:version", or "...@sha256:digest" where the place knows digests.
struct PackageReference {
  std::string address;
  std::string version;
};
Result<PackageReference> parse_reference(std::string_view text);

// Everything about a package that can be wrong before it leaves: its version, paths that would
// leave the folder or stand in each other's way, digests, sizes of the files as they are now.
Status check_package(const Package& package);
// The rule for one path.
Status check_package_path(std::string_view path);
// The rule for a version, which becomes the name of a tag and of a folder.
bool is_version(std::string_view version);

// The last twelve lines.
std::string last_lines(std::string_view text);
// What a person needs of an error that becomes a Published.
std::string told(const Error& error);

namespace publishers {
#define HONE_PUBLISHER(name) Publisher name();
#include "catalog/publishers.inc"
#undef HONE_PUBLISHER
}  // namespace publishers

}  // namespace hone
