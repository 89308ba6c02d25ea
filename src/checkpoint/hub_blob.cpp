#include "checkpoint/hub_blob.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <variant>

#include "base/git_blob.h"
#include "base/hash.h"
#include "base/hash_file.h"
#include "base/system_files.h"
#include "base/text.h"

namespace hone::hub {
namespace {

Path unfinished(const Path& place) { return place.native() + ".incomplete"; }

Failure not_written(const Path& path, int number) {
  const bool is_full = trouble_of(number) == Trouble::disk_full;
  return fail(
      Fault::runtime, trouble_of(number), "cannot write '" + path.string() + "'",
      system_message(number),
      is_full ? "make room, or let HF_HUB_CACHE name another disk; it goes on from here" : "");
}

// Which digest is meant shows in its length.
class ContentHash {
 public:
  explicit ContentHash(const RemoteFile& file) {
    if (file.digest.size() == 40) git_.emplace(file.bytes);
  }
  void add(std::string_view bytes) {
    if (git_) git_->add(bytes);
    if (!git_) sha256_.add(bytes);
  }
  std::string finish() { return git_ ? git_->finish() : sha256_.finish().hex(); }

 private:
  std::optional<GitBlobHash> git_;
  Sha256 sha256_;
};

class Download {
 public:
  Download(HubClient& client, const RemoteFile& file, const Path& place,
           const std::function<void(std::uint64_t)>& on_bytes)
      : client_(client), file_(file), place_(place), on_bytes_(on_bytes), hash_(file) {}

  Status run() {
    HONE_TRY_DO(open());
    const bool goes_on = have_ > 0;
    HONE_TRY_DO(fetch_rest());
    std::string digest = hash_.finish();
    // What was there before may have been something else.
    if (digest != file_.digest && goes_on) {
      HONE_TRY_DO(start_over());
      HONE_TRY_DO(fetch_rest());
      digest = hash_.finish();
    }
    if (digest != file_.digest)
      return not_as_said("its digest is " + digest + " instead of " + file_.digest);
    HONE_TRY(AtomicFile whole, AtomicFile::take(unfinished(place_), place_));
    return whole.commit(Durability::disk);
  }

 private:
  Status open() {
    const Path path = unfinished(place_);
    out_ = Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!out_) return not_written(path, errno);
    struct stat facts {};
    if (::fstat(out_.get(), &facts) != 0) return not_written(path, errno);
    if (!S_ISREG(facts.st_mode))
      return fail(Fault::bad_input, "'" + path.string() + "' is no regular file", {}, "remove it");
    if (static_cast<std::uint64_t>(facts.st_size) > file_.bytes) return start_over();
    return read_what_is_there();
  }

  Status read_what_is_there() {
    std::string piece(std::size_t{1} << 20, '\0');
    for (;;) {
      const ssize_t count = ::read(out_.get(), piece.data(), piece.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return not_written(unfinished(place_), errno);
      if (count == 0) return done();
      if (client_.is_stopped()) return stopped();
      hash_.add({piece.data(), static_cast<std::size_t>(count)});
      have_ += static_cast<std::uint64_t>(count);
    }
  }

  Status start_over() {
    if (::ftruncate(out_.get(), 0) != 0) return not_written(unfinished(place_), errno);
    ::lseek(out_.get(), 0, SEEK_SET);
    hash_ = ContentHash(file_);
    have_ = 0;
    return done();
  }

  Failure stopped() const {
    return fail(Fault::runtime, "fetching '" + file_.name + "' was stopped", {},
                "asked again, it goes on where it was");
  }

  Failure not_as_said(std::string why) const {
    ::unlink(unfinished(place_).c_str());
    return fail(Fault::runtime, "'" + file_.name + "' is not what the hub said of it",
                std::move(why), "nothing of it was kept; what came was changed on its way");
  }

  Status take(std::string_view bytes) {
    if (client_.is_stopped()) return stopped();
    if (bytes.size() > file_.bytes - have_)
      return not_as_said("it has more than " + format_count(file_.bytes) + " bytes");
    hash_.add(bytes);
    while (!bytes.empty()) {
      const ssize_t count = ::write(out_.get(), bytes.data(), bytes.size());
      if (count < 0 && errno != EINTR) return not_written(unfinished(place_), errno);
      if (count <= 0) continue;
      bytes.remove_prefix(static_cast<std::size_t>(count));
      have_ += static_cast<std::uint64_t>(count);
    }
    on_bytes_(have_);
    return done();
  }

  // "bytes 100-999/1000" for what we asked for; a whole answer starts at the start.
  Status take_head(const HttpHead& head) {
    if (head.status != 206) return have_ == 0 ? done() : start_over();
    const std::string start = "bytes " + std::to_string(have_) + "-";
    const std::string_view range = head.header("Content-Range");
    if (have_ > 0 && range.starts_with(start)) return done();
    return not_as_said("asked for bytes from " + std::to_string(have_) + " on, the server sends '" +
                       printable(range.substr(0, 80)) + "'");
  }

  Result<HttpResponse> ask_for_rest() {
    HttpRequest request;
    if (have_ > 0) request.headers.push_back({"Range", "bytes=" + std::to_string(have_) + "-"});
    // take() knows better, and a whole answer may come where a part was asked for.
    request.most_bytes = file_.bytes + 1;
    request.on_head = [this](const HttpHead& head) { return kept(take_head(head)); };
    request.sink = [this](std::string_view bytes) { return kept(take(bytes)); };
    return client_.get(file_, std::move(request));
  }

  // HTTP wraps what it is told in words of its own.
  Status kept(Status status) {
    if (!status) ours_ = status.error();
    return status;
  }

  Status fetch_rest() {
    for (int attempt = 1; have_ < file_.bytes; ++attempt) {
      const std::uint64_t before = have_;
      const auto response = ask_for_rest();
      if (ours_) return fail(*ours_);
      if (response && response->is_success()) {
        if (have_ == file_.bytes) break;
        return not_as_said("it has " + format_count(have_) + " bytes instead of " +
                           format_count(file_.bytes));
      }
      if (have_ > before) attempt = 1;
      HONE_TRY_DO(try_again(attempt, response));
    }
    return done();
  }

  Status try_again(int attempt, const Result<HttpResponse>& response) {
    const bool has_no_more = response && response->status == 416;
    if (has_no_more) HONE_TRY_DO(start_over());
    const bool passes =
        response ? has_no_more || may_pass(response->status) : is_transient(response.error());
    if (passes && client_.may_try_again(attempt, response ? &*response : nullptr)) return done();
    if (client_.is_stopped()) return stopped();
    if (response) return client_.refused("cannot fetch '" + file_.name + "'", *response);
    const Error& error = response.error();
    return fail(error.fault, "cannot fetch '" + file_.name + "'",
                error.what + (error.cause.empty() ? "" : ": " + error.cause),
                !error.hint.empty() ? error.hint
                                    : format_count(have_) + " of its " + format_count(file_.bytes) +
                                          " bytes are kept: asked again, it goes on there");
  }

  HubClient& client_;
  const RemoteFile& file_;
  const Path& place_;
  const std::function<void(std::uint64_t)>& on_bytes_;
  ContentHash hash_;
  Descriptor out_;
  std::uint64_t have_ = 0;
  std::optional<Error> ours_;
};

}  // namespace

Status fetch_blob(HubClient& client, const RemoteFile& file, const Path& place,
                  const std::function<void(std::uint64_t)>& on_bytes) {
  return Download(client, file, place, on_bytes).run();
}

std::uint64_t bytes_there(const Path& place) {
  const auto whole = size_of_file(place);
  return whole ? *whole : size_of_file(unfinished(place)).value_or(0);
}

}  // namespace hone::hub
