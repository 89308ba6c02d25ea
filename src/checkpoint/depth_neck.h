#pragma once
// The neck that DPT and Depth Anything share: maps of several layers at several scales, fused from
// the coarsest to the finest.

#include "checkpoint/config.h"
#include "checkpoint/net.h"

namespace hone {

struct DepthNeck {
  std::vector<std::int64_t> widths;  // of each level
  std::vector<double> factors;       // as many: how much larger its map becomes
  std::int64_t fusion = 1;           // channels of what is fused
  std::size_t head_index = 0;        // which of the fused maps the head takes
  bool has_norms = false;
  bool has_bias = true;
};

// With no widths where there is a problem.
DepthNeck read_depth_neck(const Config& config, std::vector<std::int64_t> widths,
                          std::int64_t fusion);
// 'reassemble_stage.layers.LEVEL' of [batch, in, rows, columns].
Value* reassemble(Net& net, const DepthNeck& neck, std::size_t level, Value* map, std::int64_t in);
// 'convs' and 'fusion_stage' of a map for each level; what the head takes. A fused map becomes
// twice as large, or as large as the next level's.
enum class FusedSize { twice, of_next };
Value* fuse_levels(Net& net, const DepthNeck& neck, std::vector<Value*> maps, FusedSize size);

// Bilinear, with corners on corners, to a list of height and width or to twice its own.
Value* upsample(Net& net, Value* x, Value* height_width);
Value* upsample_twice(Net& net, Value* x);

}  // namespace hone
