#pragma once
// How pictures become inputs, as a user says it.

#include <vector>

#include "base/result.h"
#include "inspect/eval/image_file.h"
#include "record/fields.h"

namespace hone {

struct PictureOrder {
  std::vector<double> mean;       // empty: the processor's, or ImageNet's
  std::vector<double> deviation;  // likewise
  std::int64_t size = 0;          // 0: as the processor says, or 224 where the model leaves it open
  // The folder or file of a processor; empty: what lies beside the model; "none": nothing.
  std::string processor;
};
template <RecordOf<PictureOrder> Self>
void for_each_field(Self& pictures, auto&& field) {
  field("mean", pictures.mean);
  field("deviation", pictures.deviation);
  field("size", pictures.size);
  field("processor", pictures.processor);
}

// Pixels are divided by the deviation: one of 0 is refused.
Result<ImageRules> image_rules_of(const PictureOrder& order);

}  // namespace hone
