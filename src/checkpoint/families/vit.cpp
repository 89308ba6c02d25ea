// ViT and DeiT: a picture's patches as words, after a token for the whole; DeiT has one more, which
// learned from a teacher.

#include "checkpoint/vit.h"

#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "checkpoint/stages.h"

namespace hone::families {
namespace {

Value* classify_with_teacher(Net& net, const VitSizes& s, Value* x, std::int64_t labels) {
  Value* own = net.linear("cls_classifier", net.pick(x, 1, 0), s.width, labels);
  Value* taught = net.linear("distillation_classifier", net.pick(x, 1, 1), s.width, labels);
  return net.div(net.add(own, taught), 2.0);
}

void write_classes(Net& net, const Config& config, const VitSizes& s, Value* x) {
  const std::int64_t labels = label_count(config);
  const bool has_teacher = net.has_module("cls_classifier") && !net.has_module("classifier");
  Value* logits = has_teacher ? classify_with_teacher(net, s, x, labels)
                              : net.linear("classifier", net.pick(x, 1, 0), s.width, labels);
  net.output("logits", logits, {"batch_size", labels});
}

void write_pixels(Net& net, const Config& config, const VitSizes& s, Value* x,
                  std::int64_t tokens) {
  const std::int64_t side = side_of_square(config, patch_count(s));
  Value* map = unflatten_patches(net, s.width, net.slice(x, 1, tokens, Net::to_end),
                                 net.wholes({side, side}));
  write_reconstruction(net, config, map, s.width, side, s.channels,
                       config.size("encoder_stride", 16));
}

void write_with(Net& net, const Config& config, const WantedGraph& wanted, VitTokens tokens) {
  const bool is_deit = tokens == VitTokens::two;
  const std::int64_t count = is_deit ? 2 : 1;
  const VitSizes s = read_vit_sizes(config);
  Value* pixels = image_input(net, s.channels, s.image[0], s.image[1]);
  Value* x = nullptr;
  Value* pooled = nullptr;
  {
    const Net::Scope base = net.enter_base(is_deit ? "deit" : "vit");
    x = encode_vit(net, s, pixels, tokens);
    if (wanted.task == "feature-extraction") pooled = pool_vit(net, config, s, x);
  }
  if (wanted.task == "feature-extraction") {
    net.output("last_hidden_state", x, {"batch_size", count + patch_count(s), s.width});
    if (pooled) net.output("pooler_output", pooled, {"batch_size", s.pooled});
  } else if (wanted.task == "image-classification") {
    write_classes(net, config, s, x);
  } else {
    write_pixels(net, config, s, x, count);
  }
}

void write_vit(Net& net, const Config& config, const WantedGraph& wanted) {
  write_with(net, config, wanted, VitTokens::one);
}

void write_deit(Net& net, const Config& config, const WantedGraph& wanted) {
  write_with(net, config, wanted, VitTokens::two);
}

}  // namespace

Family vit() {
  return {.name = "vit",
          .model_types = {"vit"},
          .tasks = {"feature-extraction", "image-classification", "masked-im"},
          .write = write_vit};
}

Family deit() {
  return {.name = "deit",
          .model_types = {"deit"},
          .tasks = {"feature-extraction", "image-classification", "masked-im"},
          .write = write_deit};
}

}  // namespace hone::families
