// A checkpoint of RoBERTa-base's size exported as a user does it: whole processes, wall time and
// peak memory, each beside `cp` of its weights in the same round. Ratios are what counts; absolute
// times are this machine's.

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "cost.h"

namespace {

using namespace hone;
using hone::bench::Cost;
using hone::bench::measure;
using hone::bench::median;

constexpr int rounds = 7;
constexpr std::int64_t width = 768;
constexpr std::int64_t inner = 3072;
constexpr std::int64_t words = 50265;
constexpr std::int64_t layers = 12;

using Shapes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

void add_linear(Shapes& shapes, const std::string& module, std::int64_t in, std::int64_t out) {
  shapes.push_back({module + ".weight", {out, in}});
  shapes.push_back({module + ".bias", {out}});
}

void add_norm(Shapes& shapes, const std::string& module) {
  shapes.push_back({module + ".weight", {width}});
  shapes.push_back({module + ".bias", {width}});
}

Shapes tensors() {
  Shapes shapes = {{"embeddings.word_embeddings.weight", {words, width}},
                   {"embeddings.position_embeddings.weight", {514, width}},
                   {"embeddings.token_type_embeddings.weight", {1, width}}};
  add_norm(shapes, "embeddings.LayerNorm");
  for (std::int64_t i = 0; i < layers; ++i) {
    const std::string layer = "encoder.layer." + std::to_string(i);
    for (const char* part : {".attention.self.query", ".attention.self.key",
                             ".attention.self.value", ".attention.output.dense"})
      add_linear(shapes, layer + part, width, width);
    add_norm(shapes, layer + ".attention.output.LayerNorm");
    add_linear(shapes, layer + ".intermediate.dense", width, inner);
    add_linear(shapes, layer + ".output.dense", inner, width);
    add_norm(shapes, layer + ".output.LayerNorm");
  }
  add_linear(shapes, "pooler.dense", width, width);
  return shapes;
}

// Small numbers, each piece of the file another: holes would cost `cp` nothing.
Status write_weights(const Path& path) {
  Json header = Json::object();
  std::uint64_t end = 0;
  for (const auto& [name, dims] : tensors()) {
    std::uint64_t bytes = 4;
    Json::Array shape;
    for (const std::int64_t dim : dims) {
      bytes *= static_cast<std::uint64_t>(dim);
      shape.emplace_back(dim);
    }
    const Json offsets(Json::Array{Json(end), Json(end + bytes)});
    header.set(name, Json::object()
                         .set("dtype", "F32")
                         .set("shape", Json(std::move(shape)))
                         .set("data_offsets", offsets));
    end += bytes;
  }
  std::string text = header.dump(-1);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(text.size() >> (8 * i));
  HONE_TRY(AtomicFile file, AtomicFile::create(path));
  HONE_TRY_DO(file.append(std::string_view(length)));
  HONE_TRY_DO(file.append(std::string_view(text)));
  std::vector<float> piece(std::size_t{1} << 18);
  std::uint32_t state = 7;
  for (std::uint64_t done_so_far = 0; done_so_far < end;) {
    for (float& number : piece) {
      state = state * 1664525 + 1013904223;
      number = static_cast<float>(state >> 8) * 0x1p-28F - 0x1p-5F;
    }
    const std::uint64_t now = std::min<std::uint64_t>(end - done_so_far, piece.size() * 4);
    HONE_TRY_DO(file.append(std::string_view(reinterpret_cast<const char*>(piece.data()), now)));
    done_so_far += now;
  }
  return file.commit();
}

Status write_checkpoint(const Path& folder) {
  std::filesystem::create_directories(folder);
  const Json config = Json::object()
                          .set("model_type", "bert")
                          .set("vocab_size", words)
                          .set("hidden_size", width)
                          .set("intermediate_size", inner)
                          .set("num_hidden_layers", layers)
                          .set("max_position_embeddings", 514)
                          .set("type_vocab_size", 1);
  HONE_TRY_DO(write_file(folder / "config.json", config.dump()));
  return write_weights(folder / "model.safetensors");
}

struct Series {
  std::vector<double> milliseconds;
  std::vector<double> megabytes;
  void add(const Cost& cost) {
    milliseconds.push_back(cost.milliseconds);
    megabytes.push_back(cost.megabytes);
  }
};

// Whatever was written lately is on disk, so that no round pays for the one before.
void settle(const Path& target) {
  std::filesystem::remove_all(target);
  ::sync();
}

}  // namespace

int main(int count, char** arguments) {
  const std::string program = count > 1 ? arguments[1] : HONE_SOURCE_DIR "/build/bin/hone";
  const auto folder = TemporaryFolder::create_in(".", "export-bench");
  if (!folder) return 1;
  const std::string source = (folder->path() / "checkpoint").string();
  if (!write_checkpoint(source)) return 1;
  const Path away = folder->path() / "away";
  std::map<std::string, Series> series;
  for (int round = 0; round < rounds; ++round) {
    settle(away);
    series["cp"].add(measure({"cp", "-r", "--reflink=never", source, away.string()}));
    settle(away);
    series["in place"].add(measure({program, "export", source, "-o", away.string(), "--no-check"}));
    settle(away);
    series["copy"].add(measure(
        {program, "export", source, "-o", away.string(), "--no-check", "--weights", "copy"}));
    settle(away);
    series["copy, float16"].add(measure({program, "export", source, "-o", away.string(),
                                         "--no-check", "--weights", "copy", "--dtype", "float16"}));
  }
  const auto bytes = size_of_file(Path(source) / "model.safetensors");
  const double cp = median(series.at("cp").milliseconds);
  std::printf("export, %.0f MB of weights, medians of %d rounds\n",
              static_cast<double>(bytes.value()) / 1e6, rounds);
  for (const char* what : {"cp", "in place", "copy", "copy, float16"}) {
    const Series& one = series.at(what);
    std::printf("  %-18s %9.1f ms  %7.1f MB   %6.3f x cp\n", what, median(one.milliseconds),
                median(one.megabytes), median(one.milliseconds) / cp);
  }
  return 0;
}
