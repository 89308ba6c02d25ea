#pragma once
// What convolutional networks share: a convolution with its normalization, the blocks of mobile
// networks, and sizes that a configuration lists per stage or scales by a factor.

#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/net.h"

namespace hone {

// --- sizes

// Lists of a configuration, one entry per stage. Both have as many, and at least one.
struct Stages {
  std::vector<std::int64_t> widths, depths;
};
Stages read_stages(const Config& config, std::vector<std::int64_t> widths,
                   std::vector<std::int64_t> depths);
// A list of exactly `count` sizes; ones where there is a problem.
std::vector<std::int64_t> read_sizes(const Config& config, std::string_view key,
                                     std::vector<std::int64_t> otherwise, std::size_t count);
// A factor that sizes are multiplied with: more than 0, at most 1,000.
double read_factor(const Config& config, std::string_view key, double otherwise);
// As Python's round() does it: halves to the even one.
std::int64_t round_half_even(double number);
// The multiple of `divisor` that is nearest to the value, at least `least`, and never below nine
// tenths of it.
std::int64_t make_divisible(double value, std::int64_t divisor, std::int64_t least);

// --- layers

// "convolution" and the batch norm "normalization" of the module.
Value* convolve_and_normalize(Net& net, std::string_view module, Value* x, const Convolution& conv,
                              double epsilon = 1e-5);

// A convolution with as much padding as keeps the size, of an odd kernel.
Convolution keeping_size(std::int64_t in, std::int64_t out, std::int64_t kernel,
                         std::int64_t stride = 1, std::int64_t dilation = 1);

// Channels are weighed by what the mean of each says: two convolutions and a sigmoid.
struct Squeeze {
  std::int64_t channels, inner;
  std::string_view reduce, expand;  // their modules
  std::string act;
};
Value* squeeze_and_excite(Net& net, Value* x, const Squeeze& squeeze);

// A mobile network's block: wider by a 1x1, a 3x3 for each channel, narrower by a 1x1.
struct InvertedResidual {
  std::int64_t in, inner, out;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::string act;
  double epsilon = 1e-5;
  bool pads_to_same = false;  // as TensorFlow pads
};
Value* inverted_residual(Net& net, Value* x, const InvertedResidual& block);

// A picture of one pixel as large as another picture.
Value* spread(Net& net, Value* pixel, Value* over);

// --- heads

// Of x [batch, width, height, width of the picture] and what it was pooled to [batch, width]: both,
// or the labels by "classifier".
void write_picture(Net& net, const Config& config, std::string_view task, Value* x, Value* pooled,
                   std::int64_t width);
// As ResNets do it: the mean is [batch, width, 1, 1], and "classifier.1" says the labels.
void write_pooled_picture(Net& net, const Config& config, std::string_view task, Value* x,
                          std::int64_t width);

}  // namespace hone
