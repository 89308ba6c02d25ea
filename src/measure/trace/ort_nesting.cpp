#include "measure/trace/ort_nesting.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "measure/trace/samples.h"

namespace hone {
namespace {

// Times are whole microseconds, cut off: what follows a piece never starts before its end, so
// starting before the end is being inside.
bool contains(const OrtPiece& outer, const OrtPiece& inner) {
  return inner.start_us >= outer.start_us && inner.start_us < outer.end_us();
}

class Nester {
 public:
  explicit Nester(const std::vector<OrtOperator>& operators) : operators_(operators) {}

  std::vector<NestedPiece> nest(std::vector<OrtPiece> pieces) {
    std::ranges::stable_sort(pieces, [](const OrtPiece& a, const OrtPiece& b) {
      return std::tuple(a.start_us, -a.duration_us, a.category) <
             std::tuple(b.start_us, -b.duration_us, b.category);
    });
    result_.reserve(pieces.size());
    for (const OrtPiece& piece : pieces) add(piece);
    take_tracing_off();
    return std::move(result_);
  }

 private:
  void add(const OrtPiece& piece) {
    const bool is_kernel = piece.category == OrtCategory::kernel;
    const std::size_t own_place = result_.size();
    NestedPiece nested{.piece = piece, .own_us = piece.duration_us};
    const std::size_t parent = is_kernel ? parent_of_kernel(piece) : innermost(piece);
    if (parent != nobody) {
      NestedPiece& outer = result_[parent];
      nested.parent_op = outer.piece.op;
      // A kernel that runs after the node that launched it takes nothing from the node's time.
      if (contains(outer.piece, piece)) {
        outer.own_us = std::max(0.0, outer.own_us - piece.duration_us);
      }
      if (!is_kernel) take_gap_off(parent, piece);
    }
    result_.push_back(nested);
    if (is_kernel) return;
    open_[piece.thread].push_back(own_place);
    last_named_[operators_[piece.op].name] = own_place;
  }

  // What the body of a node has shown so far.
  struct Body {
    double end_us = 0;              // of the last node in it
    std::set<std::uint32_t> ops{};  // of this turn; one that comes again begins the next
    std::size_t turns = 1;
  };

  // Between two nodes of a body lies the work of the executor and of the profiler, as between two
  // nodes of the main graph: a gap, and no time of the If around it. What lies between two turns of
  // a Loop may be its own work.
  void take_gap_off(std::size_t parent, const OrtPiece& piece) {
    const auto [place, is_first] = bodies_.try_emplace(parent);
    Body& body = place->second;
    const bool is_next_turn = !body.ops.insert(piece.op).second;
    if (is_next_turn) {
      body.ops = {piece.op};
      ++body.turns;
    } else if (!is_first) {
      const double gap = std::max(0.0, piece.start_us - body.end_us);
      gaps_.push_back(gap);
      result_[parent].own_us = std::max(0.0, result_[parent].own_us - gap);
    }
    body.end_us = piece.end_us();
  }

  // The profiler writes down the last node of each turn inside of the node around it.
  void take_tracing_off() {
    const double gap = median_of(gaps_);
    for (const auto& [place, body] : bodies_) {
      double& own = result_[place].own_us;
      own = std::max(0.0, own - gap * static_cast<double>(body.turns));
    }
  }

  // The node on the same thread that this one lies in.
  std::size_t innermost(const OrtPiece& piece) {
    std::vector<std::size_t>& open = open_[piece.thread];
    while (!open.empty() && !contains(result_[open.back()].piece, piece)) open.pop_back();
    return open.empty() ? nobody : open.back();
  }

  // The node its EP names, else one under way; devices have threads of their own.
  std::size_t parent_of_kernel(const OrtPiece& piece) {
    std::string_view name = operators_[piece.op].parent_name;
    constexpr std::string_view suffix = "_kernel_time";
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
    if (const auto named = last_named_.find(name); named != last_named_.end()) return named->second;
    for (auto thread = open_.begin(); thread != open_.end();) {
      std::vector<std::size_t>& open = thread->second;
      while (!open.empty() && !contains(result_[open.back()].piece, piece)) open.pop_back();
      if (!open.empty()) return open.back();
      thread = open_.erase(thread);
    }
    return nobody;
  }

  static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

  const std::vector<OrtOperator>& operators_;
  std::vector<NestedPiece> result_;
  std::map<std::int64_t, std::vector<std::size_t>> open_;  // nodes under way, by thread
  std::unordered_map<std::string_view, std::size_t> last_named_;
  std::map<std::size_t, Body> bodies_;  // by the place of the node around them
  std::vector<double> gaps_;
};

}  // namespace

std::vector<NestedPiece> nest(std::vector<OrtPiece> pieces,
                              const std::vector<OrtOperator>& operators) {
  return Nester(operators).nest(std::move(pieces));
}

}  // namespace hone
