#include "flow/search/known_names.h"

#include "flow/search/changes.h"
#include "kinds/precision.h"
#include "runtime/session_options.h"
#include "transform/capability.h"

namespace hone {

KnownNames known_names() {
  KnownNames names;
  for (const Capability& capability : all_capabilities()) {
    names.capabilities.push_back(json_name(capability));
  }
  names.capabilities.insert(names.capabilities.end(), optimize_words.begin(), optimize_words.end());
  names.precisions = made_precision_names();
  names.precisions.insert(names.precisions.end(), quantize_words.begin(), quantize_words.end());
  for (const SessionOption& option : known_session_options()) {
    names.session_options.push_back(option.key);
  }
  names.session_options.emplace_back(threads_word);
  return names;
}

}  // namespace hone
