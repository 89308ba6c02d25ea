#include "measure/pace.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hone {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t most_runs = 100'000;
// Five runs are taken as long as they fit into this.
constexpr Nanoseconds longest_block = seconds(1);
// Threads of the arm that ran before may still spin for work when the next begins.
constexpr Nanoseconds switching_time = milliseconds(2);
// To a run of this length those are less than a hundredth.
constexpr Nanoseconds undisturbed_run = milliseconds(250);
constexpr Nanoseconds longest_rounds = seconds(60);  // of a session

std::int64_t runs_in(Nanoseconds time, Nanoseconds run) {
  const double count = static_cast<double>(time.count()) /
                       static_cast<double>(std::max<std::int64_t>(run.count(), 1));
  return static_cast<std::int64_t>(std::ceil(std::min(count, static_cast<double>(most_runs))));
}

// From the full one to the least: half the rounds each time; then short blocks; then one round,
// in which only the order of all sessions together cancels drift.
std::vector<SessionShape> shapes_from(const SessionShape& full) {
  std::vector<SessionShape> shapes = {full};
  while (shapes.back().rounds > 2) {
    shapes.push_back(shapes.back());
    shapes.back().rounds = std::max<std::size_t>(shapes.back().rounds / 2, 2);
  }
  shapes.push_back(shapes.back());
  shapes.back().block_time = full.block_time / full.least_runs;
  shapes.back().least_runs = 1;
  shapes.push_back(shapes.back());
  shapes.back().rounds = 1;
  return shapes;
}

}  // namespace

BlockShape block_of(const SessionShape& shape, Nanoseconds run) {
  const std::int64_t that_fit = longest_block / std::max(run, Nanoseconds{1});
  const std::int64_t least =
      std::clamp<std::int64_t>(that_fit, 1, std::max<std::int64_t>(shape.least_runs, 1));
  return {.runs = std::clamp(runs_in(shape.block_time, run), least, most_runs),
          .dropped =
              run >= undisturbed_run ? 0 : std::max<std::int64_t>(runs_in(switching_time, run), 1)};
}

Nanoseconds round_time(const SessionShape& shape, std::span<const ArmCost> arms) {
  Nanoseconds sum{0};
  for (const ArmCost& arm : arms) {
    const BlockShape block = block_of(shape, arm.run);
    sum += arm.run * (block.runs + block.dropped);
  }
  return sum;
}

Nanoseconds session_time(const SessionShape& shape, std::span<const ArmCost> arms) {
  Nanoseconds sum = round_time(shape, arms) * static_cast<std::int64_t>(shape.rounds);
  for (const ArmCost& arm : arms) sum += arm.opening;
  return sum;
}

SessionShape least_shape(const SessionShape& full) { return shapes_from(full).back(); }

SessionShape shape_without_limit(const SessionShape& full, std::span<const ArmCost> arms) {
  SessionShape shape = full;
  const auto rounds = [&] { return static_cast<std::int64_t>(shape.rounds); };
  while (shape.rounds > 2 && round_time(shape, arms) * rounds() > longest_rounds)
    shape.rounds = std::max<std::size_t>(shape.rounds / 2, 2);
  return shape;
}

SessionShape shape_within(const SessionShape& full, std::span<const ArmCost> arms, Nanoseconds left,
                          std::size_t sessions) {
  const std::vector<SessionShape> shapes = shapes_from(shape_without_limit(full, arms));
  for (std::size_t later = std::max<std::size_t>(sessions, 1); later-- > 0;) {
    for (const SessionShape& shape : shapes) {
      const Nanoseconds rounds = round_time(shape, arms) * static_cast<std::int64_t>(shape.rounds);
      const Nanoseconds rest = session_time(shape, arms) * static_cast<std::int64_t>(later);
      if (rounds + rest <= left) return shape;
    }
  }
  return shapes.back();
}

}  // namespace hone
