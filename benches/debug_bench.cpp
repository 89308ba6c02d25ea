// `hone debug` beside ONNX Runtime's own qdq_loss_debug, both as whole processes on the same float
// model, w8a16, four samples. Theirs is run where $HONE_PEER names a program that takes `pre MODEL
// FOLDER`, `quant MODEL FOLDER PRECISION` and `debug MODEL FOLDER PRECISION`, and prints a JSON
// line with `seconds` and `peak_mb` of the work alone: starting Python is not counted against it.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/file.h"
#include "base/json.h"
#include "cost.h"
#include "results.h"

namespace {

using namespace hone;

constexpr int rounds = 3;
const std::string program = HONE_SOURCE_DIR "/build/bin/hone";

struct Ours {
  double total = 0;   // the whole process
  double in_run = 0;  // of it, inside of ONNX Runtime's Run
  double megabytes = 0;
  double activations = 0;
  double weights = 0;
  double unmatched = 0;
};

Ours run_ours(const Path& folder, const std::string& model) {
  std::vector<double> total, in_run, megabytes;
  Ours ours;
  const Path output = folder / "result.json";
  for (int round = 0; round < rounds; ++round) {
    const bench::Cost cost =
        bench::measure({program, "debug", "--float-model", model, "--quant-model", "ours.onnx",
                        "--samples", "4", "-q", "--format", "json"},
                       {.folder = folder.string(), .standard_output = output.string()});
    const Json result = bench::json_in(output);
    total.push_back(cost.milliseconds / 1000);
    megabytes.push_back(cost.megabytes);
    in_run.push_back(bench::number_in(result, {"times_ms", "in_run"}) / 1000);
    ours.activations = bench::count_in(result, "activations");
    ours.weights = bench::count_in(result, "weights");
    ours.unmatched = bench::count_in(result, "unmatched");
  }
  ours.total = bench::median(total);
  ours.in_run = bench::median(in_run);
  ours.megabytes = bench::median(megabytes);
  return ours;
}

Json run_step(const std::string& peer, const char* step, const Path& folder,
              const std::string& model) {
  const Path output = folder / "peer.json";
  bench::measure({peer, step, model, ".", "w8a16"},
                 {.folder = folder.string(), .standard_output = output.string()});
  return bench::json_in(output);
}

void compare(const std::string& stem) {
  const Path source = Path(HONE_SOURCE_DIR) / "tests/fixtures/zoo";
  const auto folder = TemporaryFolder::create("bench");
  if (!folder) std::exit(1);
  const std::string model = stem + ".onnx";
  bench::measure({program, "hydrate", (source / model).string(), "--stats",
                  (source / (stem + ".stats.json")).string(), "-o",
                  (folder->path() / model).string()});
  bench::measure(
      {program, "quantize", model, "-p", "w8a16", "--samples", "4", "-q", "-o", "ours.onnx"},
      {.folder = folder->path().string()});
  const Ours ours = run_ours(folder->path(), model);
  std::printf("%s, w8a16, 4 samples, median of %d\n", stem.c_str(), rounds);
  std::printf(
      "  hone debug      %6.2f s, %.0f %% of it in Run; %5.0f MB; %.0f tensors, %.0f weights, %.0f "
      "not found\n",
      ours.total, 100 * ours.in_run / ours.total, ours.megabytes, ours.activations, ours.weights,
      ours.unmatched);
  const char* peer = std::getenv("HONE_PEER");
  if (peer == nullptr) {
    std::printf("  qdq_loss_debug is not run: HONE_PEER names no program for it\n");
    return;
  }
  run_step(peer, "pre", folder->path(), model);
  run_step(peer, "quant", folder->path(), model);
  const Json theirs = run_step(peer, "debug", folder->path(), model);
  const double seconds = bench::number_in(theirs, {"seconds"});
  const double megabytes = bench::number_in(theirs, {"peak_mb"});
  std::printf("  qdq_loss_debug  %6.2f s, %5.0f MB; %.0f tensors\n", seconds, megabytes,
              bench::number_in(theirs, {"activations"}));
  std::printf("  ratio           %6.3f of its time, %.3f of its memory\n", ours.total / seconds,
              ours.megabytes / megabytes);
}

}  // namespace

int main() {
  compare("roberta-base.opset17");
  compare("resnet-50.opset17");
  return 0;
}
