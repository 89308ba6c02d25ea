#pragma once
// The events of a profile that ONNX Runtime wrote. It is meant to be JSON, but the writer escapes
// nothing: a quote, a backslash or a line break in the name of a node makes it something else. The
// writer's own layout is regular enough to be read without believing in JSON. A profile that some
// other tool has formatted is read as JSON.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

enum class OrtCategory { session, node, kernel, api, other };

// Views into the profile's text, valid while the visitor runs.
struct OrtEvent {
  OrtCategory category = OrtCategory::other;
  std::int64_t thread = 0;
  double start_us = 0;
  double duration_us = 0;
  std::string_view name;
  std::string_view op_type;      // args.op_name
  std::string_view provider;     // args.provider
  std::string_view node_name;    // args.node_name: what EPs call a child's node
  std::string_view parent_name;  // args.parent_name: the event an EP's kernel belongs to
  std::optional<std::int64_t> node_index;

  double end_us() const { return start_us + duration_us; }
};

struct OrtEventCounts {
  std::int64_t read = 0;
  std::int64_t unreadable = 0;
};

// Calls the visitor for every event, in the order of the file. `problem` of the answer says why
// nothing could be read at all.
struct OrtScan {
  OrtEventCounts counts;
  std::string problem;
};
OrtScan for_each_event(std::string_view text, const std::function<void(const OrtEvent&)>& visit);

}  // namespace hone
