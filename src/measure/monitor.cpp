#include "measure/monitor.h"

#include <algorithm>

#include "base/no_such.h"
#include "kinds/ep.h"

namespace hone {

Result<Monitor> find_monitor(std::string_view name) {
  const auto found = std::ranges::find(all_monitors(), name, &Monitor::name);
  if (found != all_monitors().end()) return *found;
  return no_such("monitor", name, names_of(all_monitors()));
}

std::vector<Monitor> monitors_of(std::string_view ep) {
  std::vector<Monitor> found;
  const Ep* known = find_ep(ep);
  for (const std::string_view name : known != nullptr ? known->monitors : decltype(Ep::monitors)())
    found.push_back(find_monitor(name).value());
  return found;
}

Monitor tracer_for(std::string_view ep) {
  const std::vector<Monitor> own = monitors_of(ep);
  const auto tracer = std::ranges::find_if(own, &Monitor::traces);
  return tracer != own.end() ? *tracer : monitors::ort();
}

}  // namespace hone
