#pragma once
// What networks of several stages, and backbones with several outputs, say in their configuration.

#include "checkpoint/config.h"

namespace hone {

// A list of sizes, one for each stage; empty where one of them cannot be.
std::vector<std::int64_t> stage_sizes(const Config& config, std::string_view key,
                                      std::vector<std::int64_t> otherwise);
// A list of how many layers each stage has; empty where one of them cannot be.
std::vector<std::int64_t> stage_depths(const Config& config, std::vector<std::int64_t> otherwise);
// Of 'stem' (0), 'stage1' (1), ... `stages`: those that out_features or out_indices say, else the
// last one. Empty where there is a problem.
std::vector<std::int64_t> feature_stages(const Config& config, std::int64_t stages);
// width times a ratio of the configuration, without its fraction.
std::int64_t scaled_size(const Config& config, std::string_view key, double otherwise,
                         std::int64_t width);
// The side of a square of so many patches; what is not square is a problem with image_size.
std::int64_t side_of_square(const Config& config, std::int64_t patches);

}  // namespace hone
