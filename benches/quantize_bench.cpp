// `hone quantize` beside ONNX Runtime's own tools (quant_pre_process and quantize_static), both as
// whole processes on the same model, w8a16, four samples. Theirs are run where $HONE_PEER names a
// program that takes `pre MODEL FOLDER` and `quant MODEL FOLDER PRECISION` and prints a JSON line
// with `seconds` and `peak_mb` of the work alone: starting Python is not counted against them.

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

struct Ours {
  double total = 0;      // the whole process
  double in_run = 0;     // of it, inside of ONNX Runtime's Run
  double verifying = 0;  // of it, running the result; the tools do not
  double megabytes = 0;
};

Ours run_ours(const Path& folder, const std::string& model) {
  std::vector<double> total, in_run, verifying, megabytes;
  const Path output = folder / "result.json";
  for (int round = 0; round < rounds; ++round) {
    const bench::Cost cost = bench::measure(
        {HONE_SOURCE_DIR "/build/bin/hone", "quantize", model, "-p", "w8a16", "--samples", "4",
         "-q", "-o", "ours.onnx", "--overwrite", "--format", "json"},
        {.folder = folder.string(), .standard_output = output.string()});
    const Json result = bench::json_in(output);
    total.push_back(cost.milliseconds / 1000);
    megabytes.push_back(cost.megabytes);
    in_run.push_back(bench::number_in(result, {"times_ms", "in_run"}) / 1000);
    verifying.push_back(bench::number_in(result, {"times_ms", "verify"}) / 1000);
  }
  return {bench::median(total), bench::median(in_run), bench::median(verifying),
          bench::median(megabytes)};
}

struct Theirs {
  double seconds = 0;
  double megabytes = 0;
};

Theirs run_step(const std::string& peer, const char* step, const Path& folder,
                const std::string& model) {
  const Path output = folder / "peer.json";
  bench::measure({peer, step, model, ".", "w8a16"},
                 {.folder = folder.string(), .standard_output = output.string()});
  const Json result = bench::json_in(output);
  return {bench::number_in(result, {"seconds"}), bench::number_in(result, {"peak_mb"})};
}

void compare(const std::string& stem) {
  const Path source = Path(HONE_SOURCE_DIR) / "tests/fixtures/zoo";
  const auto folder = TemporaryFolder::create("bench");
  if (!folder) std::exit(1);
  const std::string model = stem + ".onnx";
  bench::measure({HONE_SOURCE_DIR "/build/bin/hone", "hydrate", (source / model).string(),
                  "--stats", (source / (stem + ".stats.json")).string(), "-o",
                  (folder->path() / model).string()});
  const double weights =
      static_cast<double>(size_of_file(folder->path() / (stem + ".weights")).value_or(0)) / 1e6;
  const Ours ours = run_ours(folder->path(), model);
  std::printf("%s, %.0f MB of weights, w8a16, 4 samples, median of %d\n", stem.c_str(), weights,
              rounds);
  std::printf("  hone quantize   %6.2f s, of it %.2f s in Run and %.2f s verifying; %5.0f MB\n",
              ours.total, ours.in_run, ours.verifying, ours.megabytes);
  std::printf("  memory          %6.2f of 1.2 x weights + 200 MB\n",
              ours.megabytes / (1.2 * weights + 200));
  const char* peer = std::getenv("HONE_PEER");
  if (peer == nullptr) {
    std::printf("  the Python tools are not run: HONE_PEER names no program for them\n");
    return;
  }
  const Theirs pre = run_step(peer, "pre", folder->path(), model);
  const Theirs quant = run_step(peer, "quant", folder->path(), model);
  const double theirs = pre.seconds + quant.seconds;
  std::printf("  Python tools    %6.2f s (%.2f + %.2f), %5.0f MB\n", theirs, pre.seconds,
              quant.seconds, std::max(pre.megabytes, quant.megabytes));
  std::printf("  ratio           %6.3f, without verifying %.3f\n", ours.total / theirs,
              (ours.total - ours.verifying) / theirs);
}

}  // namespace

int main() {
  compare("roberta-base.opset17");
  compare("resnet-50.opset17");
  return 0;
}
