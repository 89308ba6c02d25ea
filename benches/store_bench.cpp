// The content store beside `sha256sum` on the same files in the same round: hashing them, taking
// them into a store for the first time, and taking copies that are there already. Ratios are what
// counts; absolute figures are this machine's.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/hash_file.h"
#include "base/random.h"
#include "catalog/store.h"
#include "cost.h"

namespace {

using namespace hone;

constexpr int rounds = 7;

// As packages of a model have them: one large file, or many small ones.
struct Shape {
  const char* name;
  std::size_t files;
  std::size_t bytes;
};
constexpr Shape shapes[] = {{"one file of 256 MiB", 1, std::size_t{256} << 20},
                            {"64 files of 4 MiB", 64, std::size_t{4} << 20},
                            {"2000 files of 16 KiB", 2000, std::size_t{16} << 10}};

void give_up(const Error& error) {
  std::fprintf(stderr, "bench: %s: %s\n", error.what.c_str(), error.cause.c_str());
  std::exit(1);
}

template <class T>
T or_give_up(Result<T> result) {
  if (!result) give_up(result.error());
  return std::move(result).value();
}

std::vector<Path> make_files(const Path& folder, const Shape& shape) {
  std::vector<Path> files;
  std::filesystem::create_directories(folder);
  for (std::size_t i = 0; i < shape.files; ++i) {
    Random random(i);
    std::string bytes(shape.bytes, '\0');
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.size(); at += 8) {
      const std::uint64_t word = random.next();
      std::memcpy(bytes.data() + at, &word, sizeof word);
    }
    files.push_back(folder / std::to_string(i));
    or_give_up(write_file(files.back(), bytes));
  }
  return files;
}

std::vector<Path> copy_files(const std::vector<Path>& files, const Path& folder) {
  std::vector<Path> copies;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const Path& file : files) {
    copies.push_back(folder / file.filename());
    or_give_up(clone_file(file, copies.back()));
  }
  return copies;
}

template <class Work>
double milliseconds_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  return elapsed.count();
}

// The program is started once for all files, as a user would; its start is a part of its time.
double milliseconds_of_sha256sum(const std::vector<Path>& files) {
  std::vector<std::string> words = {"sha256sum"};
  for (const Path& file : files) words.push_back(file.string());
  return bench::measure(words).milliseconds;
}

void compare(const Shape& shape) {
  const auto folder = TemporaryFolder::create("hone-bench");
  if (!folder) give_up(folder.error());
  const std::vector<Path> files = make_files(folder->path() / "files", shape);
  std::vector<double> theirs, one_thread, all_threads, first_time, again;
  for (int round = 0; round < rounds; ++round) {
    theirs.push_back(milliseconds_of_sha256sum(files));
    one_thread.push_back(milliseconds_of([&] {
      for (const Path& file : files) or_give_up(hash_of_file(file));
    }));
    all_threads.push_back(milliseconds_of([&] {
      for (Result<Digest>& digest : hash_of_files(files)) or_give_up(std::move(digest));
    }));
    const Path root = folder->path() / "store";
    std::filesystem::remove_all(root);
    ContentStore store = or_give_up(ContentStore::open(root));
    const std::vector<Path> originals = copy_files(files, folder->path() / "originals");
    const std::vector<Path> copies = copy_files(files, folder->path() / "copies");
    first_time.push_back(milliseconds_of([&] { or_give_up(store.take_all(originals)); }));
    ContentStore second = or_give_up(ContentStore::open(root));
    again.push_back(milliseconds_of([&] { or_give_up(second.take_all(copies)); }));
  }
  const double megabytes = static_cast<double>(shape.files * shape.bytes) / 1e6;
  const double reference = bench::median(theirs);
  const auto print_row = [&](const char* what, const std::vector<double>& times) {
    const double time = bench::median(times);
    std::printf("  %-32s %8.1f ms  %7.0f MB/s  %6.2f x sha256sum's speed\n", what, time,
                megabytes / time * 1000, reference / time);
  };
  std::printf("%s, medians of %d rounds\n", shape.name, rounds);
  print_row("sha256sum", theirs);
  print_row("hash_of_file, one thread", one_thread);
  print_row("hash_of_files", all_threads);
  print_row("take, new", first_time);
  print_row("take, there already", again);
}

}  // namespace

int main() {
  for (const Shape& shape : shapes) compare(shape);
  return 0;
}
