#include "kinds/ep.h"

#include <algorithm>

#include "base/text.h"

namespace hone {

const Ep* find_ep(std::string_view name) {
  const std::string wanted = lowercase(name);
  const auto is_meant = [&](const Ep& ep) {
    return ep.name == wanted || lowercase(ep.own_name) == wanted ||
           std::ranges::find(ep.aliases, wanted) != ep.aliases.end();
  };
  const auto found = std::ranges::find_if(all_eps(), is_meant);
  return found != all_eps().end() ? &*found : nullptr;
}

std::vector<std::string> ep_names() {
  std::vector<std::string> names;
  for (const Ep& ep : all_eps()) names.emplace_back(ep.name);
  return names;
}

std::vector<const Ep*> eps_for(std::string_view device) {
  std::vector<std::pair<int, const Ep*>> placed;
  for (const Ep& ep : all_eps()) {
    for (const EpPlace& place : ep.places)
      if (place.device == device) placed.emplace_back(place.place, &ep);
  }
  std::ranges::stable_sort(placed, {}, &std::pair<int, const Ep*>::first);
  std::vector<const Ep*> eps;
  for (const auto& [place, ep] : placed) eps.push_back(ep);
  return eps;
}

bool runs_on(const Ep& ep, std::string_view device) {
  return std::ranges::find(ep.devices, device) != ep.devices.end();
}

std::vector<std::string_view> plugin_files(const Ep& ep) {
  const auto need = std::ranges::find(ep.needs, NeedKind::plugin, &EpNeed::kind);
  return need != ep.needs.end() ? need->names : std::vector<std::string_view>();
}

}  // namespace hone
