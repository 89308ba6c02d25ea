// The commands on a 500 MB model, as a user runs them: whole processes, wall time and peak memory,
// each beside `cp` of the same bytes in the same round. Ratios are what counts; absolute times are
// this machine's.

#include <unistd.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "cost.h"

namespace {

using namespace hone;
using hone::bench::Cost;
using hone::bench::measure;
using hone::bench::median;

constexpr int rounds = 7;

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
  std::filesystem::create_directories(target);
  ::sync();
}

std::map<std::string, Series> run_rounds(const std::string& hone_program, const Path& folder,
                                         const std::string& stem) {
  const std::string model = (folder / (stem + ".onnx")).string();
  const std::string weights = (folder / (stem + ".weights")).string();
  const Path away = folder / "away";
  std::map<std::string, Series> series;
  for (int round = 0; round < rounds; ++round) {
    series["version"].add(measure({hone_program, "--version"}));
    series["inspect"].add(measure({hone_program, "inspect", model}));
    settle(away);
    series["cp"].add(measure({"cp", model, weights, away.string()}));
    settle(away);
    series["convert and copy"].add(
        measure({hone_program, "convert", model, "--opset", "21", "--external-data", "keep", "-o",
                 (away / (stem + ".onnx")).string()}));
    const Path beside = folder / "beside.onnx";
    std::filesystem::remove(beside);
    series["convert in place"].add(measure({hone_program, "convert", model, "--opset", "21",
                                            "--external-data", "keep", "-o", beside.string()}));
  }
  return series;
}

void print_row(const std::string& what, const Series& series, double reference) {
  std::printf("  %-18s %9.1f ms  %7.1f MB   %6.3f x cp\n", what.c_str(),
              median(series.milliseconds), median(series.megabytes),
              median(series.milliseconds) / reference);
}

}  // namespace

int main() {
  const Path source = Path(HONE_SOURCE_DIR) / "tests/fixtures/zoo";
  const std::string program = HONE_SOURCE_DIR "/build/bin/hone";
  const std::string stem = "roberta-base.opset17";
  const auto folder = TemporaryFolder::create("bench");
  if (!folder) return 1;
  const Cost hydrated = measure({program, "hydrate", (source / (stem + ".onnx")).string(),
                                 "--stats", (source / (stem + ".stats.json")).string(), "--seed",
                                 "7", "-o", (folder->path() / (stem + ".onnx")).string()});
  const auto bytes = size_of_file(folder->path() / (stem + ".weights"));
  if (!bytes) return 1;
  const double megabytes = static_cast<double>(*bytes) / 1e6;
  auto series = run_rounds(program, folder->path(), stem);
  const double cp = median(series.at("cp").milliseconds);
  std::printf("%s, %.0f MB of weights, medians of %d rounds\n", stem.c_str(), megabytes, rounds);
  for (const char* what : {"version", "inspect", "convert in place", "cp", "convert and copy"})
    print_row(what, series.at(what), cp);
  std::printf("  %-18s %9.1f ms  %7.1f MB   %.0f MB/s, once\n", "hydrate", hydrated.milliseconds,
              hydrated.megabytes, megabytes / hydrated.milliseconds * 1000);
  return 0;
}
