#include "app/known_names.h"

#include "runtime/session_options.h"
#include "transform/capability.h"
#include "transform/quantize/precisions.h"

namespace hone::app {

KnownNames known_names() {
  KnownNames names;
  for (const Capability& capability : all_capabilities()) {
    names.capabilities.push_back(json_name(capability));
  }
  for (const Precision& precision : all_precisions()) names.precisions.emplace_back(precision.name);
  for (const SessionOption& option : known_session_options()) {
    names.session_options.push_back(option.key);
  }
  return names;
}

}  // namespace hone::app
