#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "model/elements.h"
#include "transform/quantize/int4.h"

namespace hone {
namespace {

constexpr float highest = 15;
constexpr std::uint8_t middle = 8;

// Some rows of the weight at a time, as floats: bytes of a mapped file start anywhere.
class Rows {
 public:
  Rows(const Tensor& tensor, std::string_view bytes, bool transposed)
      : type_(tensor.type),
        bytes_(bytes),
        transposed_(transposed),
        rows_(static_cast<std::size_t>(tensor.dims[transposed ? 1 : 0])),
        columns_(static_cast<std::size_t>(tensor.dims[transposed ? 0 : 1])) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  // Rows [first, first + count), one after the other.
  const std::vector<float>& load(std::size_t first, std::size_t count) {
    floats_.resize(count * columns_);
    if (!transposed_) {
      read(first * columns_, floats_);
      return floats_;
    }
    std::vector<float> run(count);
    for (std::size_t column = 0; column < columns_; ++column) {
      read(column * rows_ + first, run);
      for (std::size_t i = 0; i < count; ++i) floats_[i * columns_ + column] = run[i];
    }
    return floats_;
  }

 private:
  void read(std::size_t first, std::vector<float>& floats) {
    const std::size_t width = type_ == ElementType::float32 ? 4 : 2;
    const std::string_view part = bytes_.substr(first * width, floats.size() * width);
    if (type_ == ElementType::float32) {
      std::memcpy(floats.data(), part.data(), part.size());
      return;
    }
    wide_.resize(floats.size());
    decode_elements(type_, part, wide_);
    std::ranges::transform(wide_, floats.begin(), [](double x) { return static_cast<float>(x); });
  }

  ElementType type_;
  std::string_view bytes_;
  bool transposed_;
  std::size_t rows_;
  std::size_t columns_;
  std::vector<float> floats_;
  std::vector<double> wide_;
};

struct BlockScale {
  float scale = 0;
  std::uint8_t zero_point = middle;
};

// The end of the range that is further from zero becomes -8, so the sign of the scale is the
// opposite of its sign: no code is lost as it is with a range of -7 to 7.
BlockScale symmetric_scale(float low, float high) {
  return {(std::fabs(high) > std::fabs(low) ? high : low) / -8.0F, middle};
}

BlockScale asymmetric_scale(float low, float high) {
  low = std::min(low, 0.0F);
  high = std::max(high, 0.0F);
  const float scale = (high - low) / highest;
  const float zero_point = scale != 0.0F ? 0.0F - low / scale : low;
  return {scale, static_cast<std::uint8_t>(std::clamp(std::round(zero_point), 0.0F, highest))};
}

// A scale as it is stored, and as it is therefore used.
float store_scale(ElementType type, float scale, char* bytes) {
  if (type == ElementType::float32) {
    std::memcpy(bytes, &scale, sizeof scale);
    return scale;
  }
  const double wide = scale;
  double nearest = 0;
  encode_elements(type, std::span(&wide, 1), bytes);
  decode_elements(type, {bytes, 2}, std::span(&nearest, 1));
  return static_cast<float>(nearest);
}

std::uint8_t code_of(float value, float reciprocal, std::uint8_t zero_point) {
  const float code = std::round(value * reciprocal + static_cast<float>(zero_point));
  return static_cast<std::uint8_t>(std::clamp(code, 0.0F, highest));
}

class Packer {
 public:
  Packer(Rows rows, ElementType type, std::size_t block_size, bool symmetric)
      : rows_(std::move(rows)),
        type_(type),
        block_size_(block_size),
        blocks_((rows_.rows() + block_size - 1) / block_size),
        symmetric_(symmetric),
        low_(rows_.columns()),
        high_(rows_.columns()) {
    weight_.rows = static_cast<std::int64_t>(rows_.rows());
    weight_.columns = static_cast<std::int64_t>(rows_.columns());
    weight_.values.assign(rows_.columns() * blocks_ * block_size_ / 2, '\0');
    weight_.scales.resize(rows_.columns() * blocks_ * scale_width());
    // Half a byte that is nobody's holds what ONNX Runtime's quantizer leaves there.
    if (!symmetric_) weight_.zero_points.assign(rows_.columns() * ((blocks_ + 1) / 2), '\x88');
  }

  Result<Int4Weight> pack(const std::string& name) {
    for (std::size_t block = 0; block < blocks_; ++block) {
      const std::size_t first = block * block_size_;
      const std::size_t count = std::min(block_size_, rows_.rows() - first);
      const std::vector<float>& floats = rows_.load(first, count);
      if (!find_ranges(floats, count)) {
        return fail(Fault::bad_input,
                    "'" + name + "' holds NaN, infinity or numbers too far apart");
      }
      for (std::size_t column = 0; column < rows_.columns(); ++column) {
        pack_block(floats, count, column, block);
      }
    }
    return std::move(weight_);
  }

 private:
  std::size_t scale_width() const { return type_ == ElementType::float32 ? 4 : 2; }

  // Of every column; false when one is not finite, or too wide for a float.
  bool find_ranges(const std::vector<float>& floats, std::size_t count) {
    const std::size_t columns = rows_.columns();
    std::ranges::fill(low_, std::numeric_limits<float>::max());
    std::ranges::fill(high_, std::numeric_limits<float>::lowest());
    float odd = 0;  // stays zero while all is finite
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        const float value = floats[row * columns + column];
        low_[column] = std::min(low_[column], value);
        high_[column] = std::max(high_[column], value);
        odd += value * 0.0F;
      }
    }
    for (std::size_t column = 0; column < columns; ++column) {
      odd += (high_[column] - low_[column]) * 0.0F;
    }
    return odd == 0.0F;
  }

  void pack_block(const std::vector<float>& floats, std::size_t count, std::size_t column,
                  std::size_t block) {
    const BlockScale found = symmetric_ ? symmetric_scale(low_[column], high_[column])
                                        : asymmetric_scale(low_[column], high_[column]);
    const std::size_t index = column * blocks_ + block;
    const float scale =
        store_scale(type_, found.scale, weight_.scales.data() + index * scale_width());
    if (!symmetric_) store_zero_point(column, block, found.zero_point);

    // Next to nothing has no reciprocal: such a block is zero.
    const bool is_usable = std::fabs(scale) >= std::numeric_limits<float>::min();
    const float reciprocal = is_usable ? 1.0F / scale : 0.0F;
    const std::size_t columns = rows_.columns();
    char* packed = weight_.values.data() + index * block_size_ / 2;
    for (std::size_t row = 0; row < count; row += 2) {
      const float first = floats[row * columns + column];
      const std::uint8_t low = code_of(first, reciprocal, found.zero_point);
      const std::uint8_t high = row + 1 < count ? code_of(floats[(row + 1) * columns + column],
                                                          reciprocal, found.zero_point)
                                                : found.zero_point;
      *packed++ = std::bit_cast<char>(static_cast<std::uint8_t>(low | high << 4));
    }
  }

  void store_zero_point(std::size_t column, std::size_t block, std::uint8_t zero_point) {
    char& byte = weight_.zero_points[column * ((blocks_ + 1) / 2) + block / 2];
    const auto old = std::bit_cast<std::uint8_t>(byte);
    const int both = block % 2 == 0 ? (old & 0xF0) | zero_point : (old & 0x0F) | zero_point << 4;
    byte = std::bit_cast<char>(static_cast<std::uint8_t>(both));
  }

  Rows rows_;
  ElementType type_;
  std::size_t block_size_;
  std::size_t blocks_;
  bool symmetric_;
  std::vector<float> low_;
  std::vector<float> high_;
  Int4Weight weight_;
};

}  // namespace

Result<Int4Weight> pack_int4(const Tensor& tensor, bool transposed, std::int64_t block_size,
                             bool symmetric) {
  HONE_TRY(const std::string_view bytes, tensor.bytes());
  Packer packer(Rows(tensor, bytes, transposed), tensor.type, static_cast<std::size_t>(block_size),
                symmetric);
  return packer.pack(tensor.name);
}

}  // namespace hone
