// What our timing loop costs: the same session on the same input, run by a bare C loop around
// ONNX Runtime's Run and by the loop of a worker, in turns. The goal is 1 % at most on a model of
// about 1 ms.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "runtime/prepared.h"

namespace {

using namespace hone;
using Clock = std::chrono::steady_clock;

constexpr int rounds = 64;
constexpr int runs_in_a_block = 60;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// What anybody would write with the C API.
class BareLoop {
 public:
  BareLoop(const Runtime& runtime, const PreparedRun& prepared)
      : api_(runtime.api()), session_(prepared.session().handle()) {
    for (const auto& [name, tensor] : prepared.samples().front()) {
      tensors_.push_back(to_ort(runtime, *tensor).value());
      input_names_.push_back(name.c_str());
      inputs_.push_back(tensors_.back().value.get());
    }
    for (const Port& port : prepared.session().outputs()) {
      output_names_.push_back(port.name.c_str());
    }
    outputs_.resize(output_names_.size());
  }

  double microseconds_per_run(int runs) {
    const auto start = Clock::now();
    for (int i = 0; i < runs; ++i) {
      ort::OrtStatus* status =
          api_.Run(session_, nullptr, input_names_.data(), inputs_.data(), inputs_.size(),
                   output_names_.data(), output_names_.size(), outputs_.data());
      if (status != nullptr) std::exit(1);
      for (ort::OrtValue*& output : outputs_) {
        api_.ReleaseValue(output);
        output = nullptr;
      }
    }
    return microseconds_since(start) / runs;
  }

 private:
  const ort::Api& api_;
  ort::OrtSession* session_;
  std::vector<OrtTensor> tensors_;
  std::vector<const char*> input_names_;
  std::vector<const ort::OrtValue*> inputs_;
  std::vector<const char*> output_names_;
  std::vector<ort::OrtValue*> outputs_;
};

double our_microseconds_per_run(const PreparedRun& prepared, int runs) {
  const auto start = Clock::now();
  const auto times = prepared.time_runs(0, runs, std::chrono::hours(1));
  if (!times || static_cast<int>(times->size()) != runs) std::exit(1);
  return microseconds_since(start) / runs;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main() {
  RunPlan plan;
  plan.model = HONE_SOURCE_DIR "/build/models/ch_ppocr_mobile_v2.0_cls_infer.onnx";
  plan.ort = {HONE_SOURCE_DIR "/build/lib/libonnxruntime.so.1"};
  plan.samples = 1;
  plan.batch_size = 1;
  plan.threads = 1;
  const auto runtime = start_runtime(plan);
  if (!runtime) return std::fprintf(stderr, "bench: %s\n", runtime.error().what.c_str()), 1;
  const auto prepared = PreparedRun::open(*runtime, plan);
  if (!prepared) return std::fprintf(stderr, "bench: %s\n", prepared.error().what.c_str()), 1;
  BareLoop bare(**runtime, *prepared);
  bare.microseconds_per_run(runs_in_a_block);
  our_microseconds_per_run(*prepared, runs_in_a_block);

  std::vector<double> theirs;
  std::vector<double> log_ratios;
  for (int round = 0; round < rounds; ++round) {
    const bool bare_first = (__builtin_popcount(static_cast<unsigned>(round)) & 1) == 0;
    double ours = bare_first ? 0 : our_microseconds_per_run(*prepared, runs_in_a_block);
    theirs.push_back(bare.microseconds_per_run(runs_in_a_block));
    if (bare_first) ours = our_microseconds_per_run(*prepared, runs_in_a_block);
    log_ratios.push_back(std::log(ours / theirs.back()));
  }
  // The order statistics around the median that hold it with 95 %: rounds/2 -+ 0.98 sqrt(rounds).
  std::sort(log_ratios.begin(), log_ratios.end());
  const auto reach = static_cast<std::size_t>(0.98 * std::sqrt(rounds));
  const std::size_t middle = log_ratios.size() / 2;
  const auto percent = [](double log_ratio) { return (std::exp(log_ratio) - 1) * 100; };
  std::printf("timing loop against a bare C loop around Run, %d pairs of blocks of %d runs\n",
              rounds, runs_in_a_block);
  std::printf("  bare loop           %9.1f us a run\n", median(theirs));
  std::printf(
      "  ours beside it      %+9.2f %%   [%+.2f, %+.2f] with 95 %%   (goal: at most 1 %%)\n",
      percent(log_ratios[middle]), percent(log_ratios[middle - reach]),
      percent(log_ratios[middle + reach]));
  return 0;
}
