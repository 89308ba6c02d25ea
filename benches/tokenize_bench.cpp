// Texts to ids, one thread: small tokenizers of each kind on the same lines, beside a copy of them.
// The published library beside ours on published tokenizers: tools/tokenizers.sh speed.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "tokenize/tokenizer.h"

namespace {

using namespace hone;
using namespace hone::tokenize;

const std::vector<std::string>& lines() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> found;
    for (const char* name : {"docs/tokenize.md", "docs/cli.md", "ARCHITECTURE.md"}) {
      const auto text = read_file(Path(HONE_SOURCE_DIR) / name);
      HONE_CHECK(text.has_value());
      for (std::string& line : split(*text, '\n')) found.push_back(std::move(line));
    }
    return found;
  }();
  return all;
}

void encode_lines(benchmark::State& state, const char* name, Offsets offsets) {
  const auto tokenizer = load_tokenizer(Path(HONE_SOURCE_DIR) / "tests/fixtures/tokenizers" / name);
  HONE_CHECK(tokenizer.has_value());
  const EncodeOptions options{.offsets = offsets};
  std::int64_t bytes = 0;
  for (auto _ : state) {
    for (const std::string& line : lines()) {
      auto made = tokenizer->encode(line, options);
      benchmark::DoNotOptimize(made);
      bytes += static_cast<std::int64_t>(line.size());
    }
  }
  state.SetBytesProcessed(bytes);
}

void copy_lines(benchmark::State& state) {
  std::int64_t bytes = 0;
  for (auto _ : state) {
    for (const std::string& line : lines()) {
      std::string copy = line;
      benchmark::DoNotOptimize(copy);
      bytes += static_cast<std::int64_t>(line.size());
    }
  }
  state.SetBytesProcessed(bytes);
}

BENCHMARK(copy_lines);
BENCHMARK_CAPTURE(encode_lines, word_piece, "word-piece", Offsets::characters);
BENCHMARK_CAPTURE(encode_lines, word_piece_ids_alone, "word-piece", Offsets::none);
BENCHMARK_CAPTURE(encode_lines, byte_pairs, "byte-pairs", Offsets::characters);
BENCHMARK_CAPTURE(encode_lines, byte_pairs_modern, "byte-pairs-modern", Offsets::characters);
BENCHMARK_CAPTURE(encode_lines, piece_pairs, "piece-pairs", Offsets::characters);
BENCHMARK_CAPTURE(encode_lines, unigram, "unigram", Offsets::characters);

}  // namespace
