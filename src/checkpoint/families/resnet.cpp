// ResNet: a stem, stages of residual layers, and the mean of what is left of the picture.

#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/resnet_layers.h"

namespace hone::families {
namespace {

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const ResnetSizes s = read_resnet(config);
  Value* x = image_input(net, s.channels, "height", "width");
  {
    const Net::Scope base = net.enter_base("resnet");
    x = write_resnet(net, s, x).back();
  }
  write_pooled_picture(net, config, wanted.task, x, s.stages.widths.back());
}

}  // namespace

Family resnet() {
  return {.name = "resnet",
          .model_types = {"resnet"},
          .tasks = {"feature-extraction", "image-classification"},
          .write = write};
}

}  // namespace hone::families
