#include "catalog/oci/upload.h"

#include <algorithm>

#include "base/system_files.h"

namespace hone::oci {
namespace {

constexpr std::uint64_t largest_chunk = std::uint64_t{1} << 30;

std::string short_name(const BlobSource& blob) { return "blob " + blob.digest.substr(0, 19); }

Failure wrong_answer(std::string why) {
  return fail(Fault::runtime, "the registry does not take uploads as it should", std::move(why));
}

// The upload is no more, but another one may do.
bool is_forgotten(const HttpResponse& response) {
  return response.status == 404 || error_code(response) == "BLOB_UPLOAD_INVALID" ||
         error_code(response) == "BLOB_UPLOAD_UNKNOWN";
}

std::variant<std::monostate, std::string, FileRange> part_of(const BlobSource& blob,
                                                             std::uint64_t offset,
                                                             std::uint64_t bytes) {
  if (const auto* text = std::get_if<std::string>(&blob.content))
    return text->substr(offset, bytes);
  return FileRange{std::get<Path>(blob.content), offset, bytes};
}

}  // namespace

std::optional<std::uint64_t> bytes_in_range(std::string_view range) {
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = parse_number<std::uint64_t>(range.substr(0, dash));
  const auto last = parse_number<std::uint64_t>(range.substr(dash + 1));
  if (!first || !last || *first != 0 || *last == UINT64_MAX) return std::nullopt;
  return *last == 0 ? 0 : *last + 1;
}

Result<bool> Uploader::is_there(const BlobSource& blob) {
  HttpRequest request{.method = "HEAD", .url = registry_.url("blobs/" + blob.digest)};
  request.redirects = 3;
  HONE_TRY(const HttpResponse response, registry_.ask(request));
  if (response.is_success()) return true;
  if (response.status == 404) return false;
  return refused("cannot ask for " + short_name(blob), response);
}

Uploader::Mount Uploader::mount(const BlobSource& blob) {
  for (const std::string& from : settings_.mount_from) {
    const Url url = registry_.url("blobs/uploads/?mount=" + percent_encoded(blob.digest) +
                                  "&from=" + percent_encoded(from));
    const auto response = registry_.ask({.method = "POST", .url = url});
    // A refusal may be about the other repository; who sends the blob will hear of any other.
    if (!response) continue;
    if (response->status == 201) return Mount::done;
    // 202 is an upload that was begun instead.
    if (response->status != 202) continue;
    const auto begun = resolve_url(url, response->header("Location"));
    if (begun) (void)registry_.ask_once({.method = "DELETE", .url = *begun});
  }
  return Mount::not_there;
}

Status Uploader::follow(const HttpResponse& response, Session& session, std::uint64_t blob_bytes) {
  const auto next = resolve_url(session.location, response.header("Location"));
  if (!next) return wrong_answer("it does not say where the upload goes on");
  session.location = *next;
  const auto arrived = bytes_in_range(response.header("Range"));
  if (!arrived) return done();
  if (*arrived > blob_bytes) return wrong_answer("it has more bytes than there are");
  session.offset = *arrived;
  return done();
}

Result<Uploader::Session> Uploader::start() {
  const Url url = registry_.url("blobs/uploads/");
  HONE_TRY(const HttpResponse response, registry_.ask({.method = "POST", .url = url}));
  if (response.status != 202) return refused("cannot start an upload", response);
  Session session{.location = url, .chunk_bytes = settings_.chunk_bytes};
  const auto least = parse_number<std::uint64_t>(response.header("OCI-Chunk-Min-Length"));
  session.chunk_bytes = std::min(std::max(session.chunk_bytes, least.value_or(0)), largest_chunk);
  HONE_TRY_DO(follow(response, session, 0));
  return session;
}

Result<HttpResponse> Uploader::send_chunk(const BlobSource& blob, const Session& session) {
  const std::uint64_t bytes = std::min(session.chunk_bytes, blob.bytes - session.offset);
  HttpRequest request{.method = "PATCH", .url = session.location};
  request.headers = {{"Content-Type", "application/octet-stream"},
                     {"Content-Range", std::to_string(session.offset) + "-" +
                                           std::to_string(session.offset + bytes - 1)}};
  request.body = part_of(blob, session.offset, bytes);
  request.on_sent = [this](std::uint64_t count) { counts_.bytes_sent += count; };
  return registry_.ask_once(std::move(request));
}

Result<bool> Uploader::resume(Session& session) {
  HONE_TRY(const HttpResponse response, registry_.ask({.url = session.location}));
  if (is_forgotten(response)) return false;
  if (!response.is_success()) return refused("cannot ask how far an upload came", response);
  session.was_resumed = true;
  session.offset = 0;
  // Some say nothing of the place when asked; it is then the one we asked at.
  const auto next = resolve_url(session.location, response.header("Location"));
  if (next) session.location = *next;
  session.offset = bytes_in_range(response.header("Range")).value_or(0);
  return true;
}

Result<Uploader::Upload> Uploader::send_rest(const BlobSource& blob, Session& session) {
  for (int attempt = 1; session.offset < blob.bytes;) {
    const std::uint64_t before = session.offset;
    const std::uint64_t bytes = std::min(session.chunk_bytes, blob.bytes - before);
    auto response = send_chunk(blob, session);
    if (response && response->status == 202) {
      session.offset = before + bytes;
      HONE_TRY_DO(follow(*response, session, blob.bytes));
      if (session.offset <= before) return wrong_answer("a chunk it took did not arrive");
      on_progress_(session.offset);
      attempt = 1;
      continue;
    }
    if (response && is_forgotten(*response)) return Upload::lost;
    const bool may_pass = response ? is_passing(*response) || response->status == 416
                                   : is_transient(response.error());
    const bool may_go_on = may_pass && registry_.may_try_again(attempt++);
    if (!may_go_on && response) return refused("cannot send " + short_name(blob), *response);
    if (!may_go_on) return fail(std::move(response).error());
    HONE_TRY(const bool is_known, resume(session));
    if (!is_known) return Upload::lost;
    if (session.offset > blob.bytes) return wrong_answer("it has more bytes than there are");
  }
  return Upload::done;
}

Result<Uploader::Upload> Uploader::finish(const BlobSource& blob, const Session& session) {
  HttpRequest request{.method = "PUT", .url = session.location};
  request.url.target += request.url.target.find('?') == std::string::npos ? "?" : "&";
  request.url.target += "digest=" + percent_encoded(blob.digest);
  request.body = std::string();
  const auto response = registry_.ask_once(std::move(request));
  if (response && response->status == 201) {
    const std::string_view digest = response->header("Docker-Content-Digest");
    if (digest.empty() || digest == blob.digest) return Upload::done;
    return fail(Fault::runtime, "the registry has other bytes than were sent",
                "it says " + std::string(digest.substr(0, 80)) + " of " + blob.digest);
  }
  const bool may_pass =
      response ? is_passing(*response) || is_forgotten(*response) : is_transient(response.error());
  if (may_pass) {
    // The answer may have been lost, and not the blob.
    HONE_TRY(const bool arrived, is_there(blob));
    return arrived ? Upload::done : Upload::lost;
  }
  if (!response) return fail(response.error());
  // A cut may have left bytes the registry did not tell of.
  if (session.was_resumed && error_code(*response) == "DIGEST_INVALID") return Upload::lost;
  return refused("cannot finish " + short_name(blob), *response);
}

Result<Uploader::Upload> Uploader::send(const BlobSource& blob) {
  HONE_TRY(Session session, start());
  HONE_TRY(const Upload sent, send_rest(blob, session));
  if (sent == Upload::lost) return sent;
  return finish(blob, session);
}

Status Uploader::put(const BlobSource& blob) {
  HONE_TRY(const bool there, is_there(blob));
  if (there) {
    counts_.blobs_there += 1;
    counts_.bytes_there += blob.bytes;
    return done();
  }
  if (mount(blob) == Mount::done) {
    counts_.blobs_mounted += 1;
    counts_.bytes_there += blob.bytes;
    return done();
  }
  for (int attempt = 1;; ++attempt) {
    HONE_TRY(const Upload sent, send(blob));
    if (sent == Upload::done) return counts_.blobs_sent += 1, done();
    if (!registry_.may_try_again(attempt))
      return fail(Fault::io, "cannot send " + short_name(blob),
                  "the registry lost the upload " + std::to_string(attempt) + " times");
  }
}

}  // namespace hone::oci
