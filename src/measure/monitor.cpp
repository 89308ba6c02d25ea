#include "measure/monitor.h"

#include <algorithm>

#include "base/text.h"

namespace hone {

std::span<const Monitor> all_monitors() {
  static const std::vector<Monitor> all = {
#define HONE_MONITOR(name) monitors::name(),
#include "measure/monitors.inc"
#undef HONE_MONITOR
  };
  return all;
}

Result<Monitor> find_monitor(std::string_view name) {
  std::vector<std::string> names;
  for (const Monitor& monitor : all_monitors()) {
    if (monitor.name == name) return monitor;
    names.emplace_back(monitor.name);
  }
  return fail(Fault::bad_input, "there is no monitor '" + std::string(name) + "'", {},
              "one of " + join(names, ", "));
}

Monitor tracer_for(std::string_view ep) {
  const auto fits = [&](const Monitor& monitor) {
    return monitor.traces && (monitor.ep.empty() || monitor.ep == ep);
  };
  const auto found = std::ranges::find_if(all_monitors(), fits);
  HONE_CHECK(found != all_monitors().end());
  return *found;
}

}  // namespace hone
