#include "app/call.h"

#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/descriptor.h"
#include "base/text.h"

namespace hone::app {
namespace {

// 0, or the error number of the write that failed.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

}  // namespace

Status write_to_stdout(std::string_view bytes) {
  const int error_number = write_all(STDOUT_FILENO, bytes);
  if (error_number == 0) return done();
  return fail(Fault::io, "cannot write the result to standard output",
              system_message(error_number));
}

void write_to_stderr(std::string_view bytes) { write_all(STDERR_FILENO, bytes); }

Status Call::answer(const Json& document, std::string_view text) const {
  return write_to_stdout(wants_json() ? document.dump() + "\n" : std::string(text));
}

void Call::note(std::string_view line) const {
  if (!is_quiet()) write_to_stderr(printable(line) + "\n");
}

void Call::detail(std::string_view line) const {
  if (is_verbose()) write_to_stderr(printable(line) + "\n");
}

}  // namespace hone::app
