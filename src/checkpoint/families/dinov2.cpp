// DINOv2: a ViT whose layers scale what they add, for pictures of any size.

#include "checkpoint/dinov2.h"

#include "checkpoint/family.h"
#include "checkpoint/heads.h"

namespace hone::families {
namespace {

void write(Net& net, const Config& config, const WantedGraph& wanted) {
  const Dinov2Sizes d = read_dinov2_sizes(config);
  const std::int64_t width = d.vit.width;
  Value* pixels = image_input(net, d.vit.channels, "height", "width");
  Value* x = nullptr;
  {
    const Net::Scope base = net.enter_base("dinov2");
    x = encode_dinov2(net, d, pixels);
  }
  Value* whole = net.pick(x, 1, 0);
  if (wanted.task == "feature-extraction") {
    net.output("last_hidden_state", x, {"batch_size", "sequence_length", width});
    net.output("pooler_output", whole, {"batch_size", width});
    return;
  }
  const std::int64_t labels = label_count(config);
  Value* patches = net.mean(net.slice(x, 1, 1, Net::to_end), {1}, false);
  Value* both = net.concat({whole, patches}, 1);
  net.output("logits", net.linear("classifier", both, 2 * width, labels), {"batch_size", labels});
}

}  // namespace

Family dinov2() {
  return {.name = "dinov2",
          .model_types = {"dinov2"},
          .tasks = {"feature-extraction", "image-classification"},
          .write = write};
}

}  // namespace hone::families
