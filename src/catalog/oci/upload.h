#pragma once
// Blobs on their way into a registry: each travels once, in chunks, and goes on where it was cut.

#include <string>
#include <variant>
#include <vector>

#include "base/http.h"
#include "base/progress.h"
#include "catalog/oci/registry.h"

namespace hone::oci {

struct BlobSource {
  std::string digest;
  std::uint64_t bytes = 0;
  std::variant<std::string, Path> content;
};

struct UploadSettings {
  std::uint64_t chunk_bytes = std::uint64_t{8} << 20;
  std::vector<std::string> mount_from;
};

class Uploader {
 public:
  // Counts what travels into `counts`. `on_progress` hears how much of a blob has arrived.
  Uploader(Registry& registry, UploadSettings settings, Published& counts,
           std::function<void(std::uint64_t bytes)> on_progress)
      : registry_(registry),
        settings_(std::move(settings)),
        counts_(counts),
        on_progress_(std::move(on_progress)) {}

  // Nothing travels that is there already, or in a repository it can be taken from.
  Status put(const BlobSource& blob);

 private:
  struct Session {
    Url location;
    std::uint64_t offset = 0;  // what has arrived
    std::uint64_t chunk_bytes = 0;
    bool was_resumed = false;
  };
  enum class Mount { done, not_there };
  // An upload that is lost can be started again; any other failure is an error.
  enum class Upload { done, lost };

  Result<bool> is_there(const BlobSource& blob);
  Mount mount(const BlobSource& blob);
  Result<Session> start();
  Result<Upload> send(const BlobSource& blob);
  Result<Upload> send_rest(const BlobSource& blob, Session& session);
  Result<HttpResponse> send_chunk(const BlobSource& blob, const Session& session);
  Result<Upload> finish(const BlobSource& blob, const Session& session);
  // Asks how far it came. False where the registry has forgotten it.
  Result<bool> resume(Session& session);
  // What an answer says of place and progress.
  Status follow(const HttpResponse& response, Session& session, std::uint64_t blob_bytes);

  Registry& registry_;
  UploadSettings settings_;
  Published& counts_;
  std::function<void(std::uint64_t)> on_progress_;
};

// "0-1023": how many bytes that are. Go's registry says "0-0" of nothing as well as of one byte,
// and nothing is what it means after a cut.
std::optional<std::uint64_t> bytes_in_range(std::string_view range);

}  // namespace hone::oci
