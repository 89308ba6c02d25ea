// Files of rows, and what rows name: the first byte says which kind of file the rest is. Whatever
// is read must have the size it claims, and numbers that are numbers.

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "inspect/eval/image_file.h"
#include "inspect/eval/rows/rows.h"
#include "inspect/eval/wav.h"

namespace {

using namespace hone;

// A file that is in memory alone, by a name that can be opened again.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : descriptor_(memfd_create("fuzzed", 0)) {
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written <= 0) std::abort();
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  Path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

void read_all(Result<std::unique_ptr<RowSource>> rows) {
  if (!rows) return;
  std::uint64_t line = 0;
  while (true) {
    const auto row = (*rows)->next();
    if (!row || !*row) return;
    if ((*row)->line <= line && line != 0) std::abort();
    if ((*row)->problem.empty() && (*row)->columns.as_object() == nullptr) std::abort();
    line = (*row)->line;
  }
}

void read_pictures(const Path& file) {
  for (const std::size_t channels : {1U, 3U}) {
    const auto image = read_image(file, channels);
    if (image && image->bytes.size() != image->width * image->height * channels) std::abort();
  }
  const auto levels = read_levels(file);
  if (levels && levels->values.size() != levels->width * levels->height) std::abort();
}

void hear(std::string_view bytes) {
  const auto sound = read_wav(bytes);
  if (!sound) return;
  for (const double sample : sound->samples)
    if (!std::isfinite(sample)) std::abort();
  // Not more than a few times as many: what a rate of 1 would be made into is as long as it says.
  if (sound->rate >= 4000) resample(*sound, 16000);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view content(reinterpret_cast<const char*>(data) + 1, size - 1);
  const char kind = static_cast<char>(data[0]);
  if (kind == 'w') {
    hear(content);
    return 0;
  }
  const MemoryFile file(content);
  if (kind == 'c') read_all(open_csv(file.path(), ','));
  if (kind == 't') read_all(open_csv(file.path(), '\t'));
  if (kind == 'l') read_all(open_json_lines(file.path()));
  if (kind == 'j') read_all(open_json_rows(file.path()));
  if (kind == 'p') read_pictures(file.path());
  return 0;
}
