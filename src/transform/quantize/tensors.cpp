#include "transform/quantize/tensors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "model/elements.h"

namespace hone {
namespace {

// A tensor along an axis: rows of channels of runs, a run being neighbours that share a channel.
struct Layout {
  std::size_t channels = 1;
  std::size_t run = 1;
  std::size_t period() const { return channels * run; }
  // Long runs are worked on one by one; short ones a whole period at a time, because a loop that
  // ends after a few elements costs more than it does.
  bool has_long_runs() const { return run >= 16; }
  std::size_t unit() const { return has_long_runs() ? run : period(); }
};

Layout layout_of(const Tensor& tensor, std::optional<std::size_t> axis) {
  if (!axis) return {1, static_cast<std::size_t>(tensor.element_count())};
  HONE_CHECK(*axis < tensor.dims.size());
  Layout layout;
  layout.channels = static_cast<std::size_t>(tensor.dims[*axis]);
  for (std::size_t i = *axis + 1; i < tensor.dims.size(); ++i) {
    layout.run *= static_cast<std::size_t>(tensor.dims[i]);
  }
  return layout;
}

// Bytes of a mapped file start anywhere: they are copied to where floats may stand, block by block.
class FloatBlocks {
 public:
  static Result<FloatBlocks> of(const Tensor& tensor) {
    if (tensor.type != ElementType::float32 && tensor.type != ElementType::float16) {
      return fail(Fault::unsupported, "'" + tensor.name + "' is of type " + name_of(tensor.type) +
                                          ", and only float and float16 can be quantized");
    }
    HONE_TRY(const std::string_view bytes, tensor.bytes());
    return FloatBlocks(tensor, bytes);
  }

  // Calls visit(unit, offset, floats): the floats are those from `offset` on of the unit-th stretch
  // of `unit_size` elements, and never reach into the next one.
  template <class Visit>
  void for_each_part(std::size_t unit_size, Visit visit) {
    for (std::size_t begin = 0; begin < total_; begin += block_.size()) {
      const std::span<const float> floats = load(begin);
      for (std::size_t at = 0; at < floats.size();) {
        const std::size_t offset = (begin + at) % unit_size;
        const std::size_t count = std::min(floats.size() - at, unit_size - offset);
        visit((begin + at) / unit_size, offset, floats.subspan(at, count));
        at += count;
      }
    }
  }

 private:
  FloatBlocks(const Tensor& tensor, std::string_view bytes)
      : type_(tensor.type), bytes_(bytes), total_(tensor.element_count()) {}

  std::span<const float> load(std::size_t begin) {
    const std::size_t count = std::min(block_.size(), total_ - begin);
    const std::size_t width = type_ == ElementType::float32 ? 4 : 2;
    const std::string_view part = bytes_.substr(begin * width, count * width);
    if (type_ == ElementType::float32) {
      std::memcpy(block_.data(), part.data(), part.size());
    } else {
      wide_.resize(count);
      decode_elements(type_, part, wide_);
      std::transform(wide_.begin(), wide_.end(), block_.begin(),
                     [](double number) { return static_cast<float>(number); });
    }
    return std::span(block_).first(count);
  }

  ElementType type_;
  std::string_view bytes_;
  std::size_t total_;
  std::array<float, 4096> block_{};
  std::vector<double> wide_;
};

// Zero and all that was seen. `odd` is 0 while all of it is finite.
struct Seen {
  float low = 0;
  float high = 0;
  float odd = 0;

  void see(float value) {
    low = value < low ? value : low;
    high = value > high ? value : high;
    odd += value * 0.0F;
  }
  void add(const Seen& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    odd += other.odd;
  }
  // NaN where something was not finite.
  RealRange range() const { return {low + odd, high + odd}; }
};

// All of the values, in lanes that do not wait for each other.
Seen see_all(std::span<const float> values) {
  constexpr std::size_t width = 16;
  std::array<float, width> low{};
  std::array<float, width> high{};
  std::array<float, width> odd{};
  const std::size_t whole = values.size() / width * width;
  for (std::size_t i = 0; i < whole; i += width) {
    for (std::size_t lane = 0; lane < width; ++lane) {
      const float value = values[i + lane];
      low[lane] = value < low[lane] ? value : low[lane];
      high[lane] = value > high[lane] ? value : high[lane];
      odd[lane] += value * 0.0F;
    }
  }
  Seen seen;
  for (std::size_t lane = 0; lane < width; ++lane) seen.add({low[lane], high[lane], odd[lane]});
  for (const float value : values.subspan(whole)) seen.see(value);
  return seen;
}

// One element of `seen` for each element of a period.
void see_each(std::span<Seen> seen, std::span<const float> values) {
  for (std::size_t i = 0; i < values.size(); ++i) seen[i].see(values[i]);
}

Result<std::vector<RealRange>> collect_ranges(const Tensor& tensor, const Layout& layout) {
  HONE_TRY(FloatBlocks blocks, FloatBlocks::of(tensor));
  const std::size_t per_channel = layout.has_long_runs() ? 1 : layout.run;
  std::vector<Seen> seen(layout.channels * per_channel);
  blocks.for_each_part(layout.unit(), [&](std::size_t unit, std::size_t offset, auto floats) {
    if (layout.has_long_runs()) {
      seen[unit % layout.channels].add(see_all(floats));
    } else {
      see_each(std::span(seen).subspan(offset), floats);
    }
  });
  std::vector<RealRange> ranges;
  for (std::size_t channel = 0; channel < layout.channels; ++channel) {
    Seen all;
    for (std::size_t i = 0; i < per_channel; ++i) all.add(seen[channel * per_channel + i]);
    ranges.push_back(all.range());
  }
  return ranges;
}

// Rounds halves to even, without a call to the library, for numbers below 2^22 in magnitude: there
// the sum has no room for a fraction.
float round_to_even(float number) {
  constexpr float no_fraction = 0x1.8p23F;
  return (number + no_fraction) - no_fraction;
}

// To integers of type T. Numbers far outside of the type's range are brought near to it first, so
// that rounding them is exact; they are clipped all the same.
template <class T>
struct Rounder {
  static constexpr float lowest = std::numeric_limits<T>::min();
  static constexpr float highest = std::numeric_limits<T>::max();

  T operator()(float value, float scale, float zero_point) const {
    constexpr float beyond = 0x1p18F;
    float steps = value / scale;
    steps = steps > -beyond ? steps : -beyond;  // NaN goes there too
    steps = steps < beyond ? steps : beyond;
    const float quantized = round_to_even(steps) + zero_point;
    const float clipped = quantized > lowest ? quantized : lowest;
    return static_cast<T>(static_cast<std::int32_t>(clipped < highest ? clipped : highest));
  }
};

// Each element of a period with the scale of its channel.
struct ElementScales {
  ElementScales(const Layout& layout, const TensorScales& scales) {
    for (std::size_t channel = 0; channel < layout.channels; ++channel) {
      scale.insert(scale.end(), layout.run, scales.scales[channel]);
      zero_point.insert(zero_point.end(), layout.run,
                        static_cast<float>(scales.zero_points[channel]));
    }
  }
  std::vector<float> scale;
  std::vector<float> zero_point;
};

template <class T>
Result<std::string> quantized_bytes(const Tensor& tensor, const TensorScales& scales) {
  const Layout layout = layout_of(tensor, scales.axis);
  HONE_TRY(FloatBlocks blocks, FloatBlocks::of(tensor));
  std::string bytes(tensor.element_count() * sizeof(T), '\0');
  T* out = reinterpret_cast<T*>(bytes.data());
  const Rounder<T> rounder;
  if (layout.has_long_runs()) {
    blocks.for_each_part(layout.unit(), [&](std::size_t unit, std::size_t, auto floats) {
      const float scale = scales.scales[unit % layout.channels];
      const auto zero_point = static_cast<float>(scales.zero_points[unit % layout.channels]);
      T* const __restrict to = std::exchange(out, out + floats.size());
      for (std::size_t i = 0; i < floats.size(); ++i) to[i] = rounder(floats[i], scale, zero_point);
    });
    return bytes;
  }
  const ElementScales each(layout, scales);
  blocks.for_each_part(layout.unit(), [&](std::size_t, std::size_t offset, auto floats) {
    const float* const scale = each.scale.data() + offset;
    const float* const zero_point = each.zero_point.data() + offset;
    T* const __restrict to = std::exchange(out, out + floats.size());
    for (std::size_t i = 0; i < floats.size(); ++i)
      to[i] = rounder(floats[i], scale[i], zero_point[i]);
  });
  return bytes;
}

Result<std::string> quantized_bytes_as(const Tensor& tensor, const TensorScales& scales) {
  switch (scales.type) {
    case ElementType::uint8:
      return quantized_bytes<std::uint8_t>(tensor, scales);
    case ElementType::int8:
      return quantized_bytes<std::int8_t>(tensor, scales);
    case ElementType::uint16:
      return quantized_bytes<std::uint16_t>(tensor, scales);
    case ElementType::int16:
      return quantized_bytes<std::int16_t>(tensor, scales);
    default:
      return fail(Fault::unsupported,
                  "'" + tensor.name + "' cannot be quantized to " + name_of(scales.type));
  }
}

}  // namespace

Status for_each_float(const Tensor& tensor,
                      const std::function<void(std::span<const float> floats)>& visit) {
  HONE_TRY(FloatBlocks blocks, FloatBlocks::of(tensor));
  blocks.for_each_part(std::max<std::size_t>(tensor.element_count(), 1),
                       [&](std::size_t, std::size_t, auto floats) { visit(floats); });
  return done();
}

Result<std::vector<RealRange>> ranges_of(const Tensor& tensor, std::optional<std::size_t> axis) {
  HONE_TRY(std::vector<RealRange> ranges, collect_ranges(tensor, layout_of(tensor, axis)));
  for (const RealRange& range : ranges) {
    if (std::isfinite(range.low) && std::isfinite(range.high)) continue;
    return fail(Fault::bad_input,
                "the weight '" + tensor.name + "' holds NaN or infinity, which no scale represents",
                {}, "leave the nodes that use it in float: --exclude NODE");
  }
  return ranges;
}

Result<TensorPtr> quantize_tensor(const Tensor& tensor, const TensorScales& scales,
                                  std::string name) {
  HONE_TRY(std::string bytes, quantized_bytes_as(tensor, scales));
  return make_tensor(std::move(name), scales.type, tensor.dims, Blob::own(std::move(bytes)));
}

Result<TensorPtr> quantize_bias(const Tensor& bias, std::span<const float> scales,
                                std::string name) {
  HONE_TRY(const std::vector<double> values, to_doubles(bias));
  HONE_CHECK(scales.size() == 1 || scales.size() == values.size());
  std::string bytes(values.size() * sizeof(std::int32_t), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double scale = scales[scales.size() == 1 ? 0 : i];
    const double steps = std::nearbyint(values[i] / scale);
    const auto quantized =
        static_cast<std::int32_t>(std::clamp(steps, -2147483648.0, 2147483647.0));
    std::memcpy(bytes.data() + i * sizeof quantized, &quantized, sizeof quantized);
  }
  return make_tensor(std::move(name), ElementType::int32, bias.dims, Blob::own(std::move(bytes)));
}

}  // namespace hone
