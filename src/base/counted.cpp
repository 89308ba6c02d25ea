#include "base/counted.h"

#include "base/text.h"

namespace hone {

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  std::string text = format_count(count) + " ";
  if (count == 1) return text.append(one);
  return many.empty() ? text.append(one) + "s" : text.append(many);
}

}  // namespace hone
