#include "runtime/ep_names.h"

#include "kinds/ep.h"

namespace hone {

std::string ep_own_name(std::string_view short_name) {
  const Ep* ep = find_ep(short_name);
  return std::string(ep != nullptr ? ep->own_name : short_name);
}

std::string ep_short_name(std::string_view own_name) {
  const Ep* ep = find_ep(own_name);
  return std::string(ep != nullptr ? ep->name : own_name);
}

std::string ep_append_name(std::string_view short_name) {
  const Ep* ep = find_ep(short_name);
  return std::string(ep != nullptr ? ep->append_name : "");
}

}  // namespace hone
