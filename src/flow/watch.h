#pragma once
// Whoever asked for a flow: told how far it is, and able to end it.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "record/fields.h"

namespace hone {

struct FlowProgress {
  std::string doing;
  std::uint64_t done = 0;
  std::uint64_t total = 0;  // 0: nobody knows
};
template <RecordOf<FlowProgress> Self>
void for_each_field(Self& progress, auto&& field) {
  field("doing", progress.doing);
  field("done", progress.done);
  field("total", progress.total);
}

struct Watch {
  std::function<void(const FlowProgress&)> tell{};
  const std::atomic<bool>* stop = nullptr;  // ends it, with all that is known by then

  void step(std::string doing, std::uint64_t done = 0, std::uint64_t total = 0) const {
    if (tell) tell({std::move(doing), done, total});
  }
};

}  // namespace hone
