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

}  // namespace hone
