#include "flow/pictures.h"

#include <algorithm>

#include "base/misuse.h"

namespace hone {

Result<ImageRules> image_rules_of(const PictureOrder& order) {
  ImageRules rules;
  if (order.size > 0) rules.size = static_cast<std::size_t>(order.size);
  if (!order.mean.empty()) rules.mean = order.mean;
  if (!order.deviation.empty()) rules.deviation = order.deviation;
  if (std::ranges::count(rules.deviation, 0.0) > 0)
    return misuse("--std cannot be 0: pixels are divided by it", {});
  return rules;
}

}  // namespace hone
