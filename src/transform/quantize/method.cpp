#include "transform/quantize/method.h"

#include <algorithm>

#include "base/no_such.h"

namespace hone {

Result<CalibrationMethod> find_method(std::string_view name) {
  const auto found = std::ranges::find(all_methods(), name, &CalibrationMethod::name);
  if (found != all_methods().end()) return *found;
  return no_such("method", name, names_of(all_methods()));
}

}  // namespace hone
