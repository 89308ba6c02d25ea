#pragma once
// ResNets as transformers writes them: a stem and stages of residual layers. The family `resnet` is
// one, and backbones of detectors are.

#include <string>
#include <vector>

#include "checkpoint/convnet.h"

namespace hone {

struct ResnetSizes {
  std::int64_t channels, stem;
  Stages stages;
  bool is_bottleneck, downsamples_first_stage, downsamples_in_bottleneck;
  // Of rt_detr_resnet: three 3x3 in the stem instead of one 7x7, and shortcuts that take means
  // where they downsample.
  bool is_deep;
  std::string act;
};

ResnetSizes read_resnet(const Config& config);
// What comes out of the stem, and out of each stage.
std::vector<Value*> write_resnet(Net& net, const ResnetSizes& sizes, Value* pixels);

}  // namespace hone
