#include "processor/picture.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace hone {
namespace {

constexpr std::size_t channels = 3;

// As NumPy computes it, step by step in floats but for the product: (float(byte * factor) - mean) /
// deviation.
class Numbers {
 public:
  Numbers() {
    for (auto& table : tables_) {
      for (std::size_t byte = 0; byte < table.size(); ++byte)
        table[byte] = static_cast<float>(byte);
    }
  }

  void rescale(double factor, bool is_offset) {
    for (auto& table : tables_) {
      for (float& number : table) {
        number = static_cast<float>(static_cast<double>(number) * factor);
        if (is_offset) number -= 1.0F;
      }
    }
  }

  void normalize(const std::vector<double>& mean, const std::vector<double>& deviation) {
    for (std::size_t channel = 0; channel < channels; ++channel) {
      for (float& number : tables_[channel]) {
        number = (number - static_cast<float>(mean[channel % mean.size()])) /
                 static_cast<float>(deviation[channel % deviation.size()]);
      }
    }
  }

  std::vector<std::array<float, 256>> take() { return std::move(tables_); }

 private:
  std::vector<std::array<float, 256>> tables_ = std::vector<std::array<float, 256>>(channels);
};

void add_words(PicturePlan& plan, const std::string& words) {
  plan.words += (plan.words.empty() ? "" : ", ") + words;
}

Result<Filter> read_filter(Settings& settings) {
  const auto number = settings.at("resample").to_int();
  if (number && *number >= 0 && *number < filter_count) return static_cast<Filter>(*number);
  return settings.refuse("resample", "Pillow's filters are 0 to 5");
}

Status read_resize(Settings& settings, const PictureFacts& facts, const PictureWishes& wishes,
                   PicturePlan& plan) {
  HONE_TRY(const bool does_resize, settings.flag("do_resize"));
  if (!does_resize && !wishes.size) {
    for (const auto key :
         {"size", "max_size", "resample", "crop_pct", "keep_aspect_ratio", "ensure_multiple_of"})
      settings.pass(key);
    return done();
  }
  HONE_TRY(plan.filter, read_filter(settings));
  HONE_TRY(plan.sizing, facts.sizing(settings));
  plan.crop = plan.sizing->crop;
  if (wishes.size) {
    plan.sizing = Sizing{[size = *wishes.size](const PictureSize&) { return size; },
                         "the whole picture resized to " + to_string(*wishes.size)};
    plan.crop.reset();
  }
  add_words(plan, plan.sizing->words + " " + std::string(name_of(plan.filter)));
  return done();
}

Status read_crop(Settings& settings, const PictureWishes& wishes, PicturePlan& plan) {
  HONE_TRY(const bool does_crop, settings.flag("do_center_crop"));
  if (does_crop) {
    HONE_TRY(plan.crop, read_exact_size(settings, "crop_size"));
  }
  settings.pass("crop_size");
  if (wishes.size) plan.crop.reset();
  if (plan.crop) add_words(plan, "crop " + to_string(*plan.crop));
  return done();
}

Result<std::vector<double>> read_deviation(Settings& settings, std::string_view key) {
  HONE_TRY(std::vector<double> deviation, settings.by_channel(key));
  const bool has_zero = std::ranges::any_of(
      deviation, [](double number) { return static_cast<float>(number) == 0.0F; });
  if (has_zero) return settings.refuse(key, "pixels are divided by it");
  return deviation;
}

Status read_normalizing(Settings& settings, const PictureWishes& wishes, Numbers& numbers,
                        PicturePlan& plan) {
  HONE_TRY(const bool does_normalize, settings.flag("do_normalize"));
  HONE_TRY(const bool does_again, settings.flag("include_top"));
  const bool is_wished = !wishes.mean.empty() || !wishes.deviation.empty();
  std::vector<double> mean = {0};
  std::vector<double> deviation = {1};
  if (does_normalize) {
    HONE_TRY(mean, settings.by_channel("image_mean"));
  }
  if (does_normalize || does_again) {
    HONE_TRY(deviation, read_deviation(settings, "image_std"));
  }
  settings.pass("image_mean");
  settings.pass("image_std");
  const std::vector<double> again = deviation;
  if (!wishes.mean.empty()) mean = wishes.mean;
  if (!wishes.deviation.empty()) deviation = wishes.deviation;
  if (does_normalize || is_wished) {
    numbers.normalize(mean, deviation);
    plan.keeps_bytes = false;
    add_words(plan, "mean and std" + std::string(is_wished ? " as given" : ""));
  }
  if (does_again && !is_wished) {
    numbers.normalize({0}, again);
    plan.keeps_bytes = false;
    add_words(plan, "std once more");
  }
  return done();
}

Status read_numbers(Settings& settings, const PictureWishes& wishes, PicturePlan& plan) {
  Numbers numbers;
  plan.keeps_bytes = true;
  HONE_TRY(const bool does_rescale, settings.flag("do_rescale"));
  HONE_TRY(const bool is_offset, settings.flag("rescale_offset"));
  if (does_rescale) {
    constexpr double most = 1e6;
    HONE_TRY(const double factor, settings.number("rescale_factor", -most, most));
    numbers.rescale(factor, is_offset);
    plan.keeps_bytes = false;
    constexpr double usual = 1.0 / 255;
    const bool is_usual = std::abs(factor - usual) < 1e-9;
    add_words(plan, is_usual ? "/ 255" : "* " + settings.at("rescale_factor").dump(-1));
    if (is_offset) add_words(plan, "- 1");
  }
  settings.pass("rescale_factor");
  HONE_TRY_DO(read_normalizing(settings, wishes, numbers, plan));
  plan.numbers = numbers.take();
  return done();
}

Status read_pad(Settings& settings, const PictureWishes& wishes, PicturePlan& plan) {
  HONE_TRY(const bool does_pad, settings.flag("do_pad"));
  const bool has_size = does_pad && settings.knows("pad_size") && settings.says("pad_size");
  const bool has_divisor = does_pad && settings.knows("size_divisor");
  if (has_size) {
    HONE_TRY(plan.pad_to, read_exact_size(settings, "pad_size"));
  }
  if (has_divisor) {
    HONE_TRY(plan.pad_multiple, settings.whole("size_divisor", 1, most_side));
  }
  if (settings.knows("pad_size")) settings.pass("pad_size");
  if (settings.knows("size_divisor")) settings.pass("size_divisor");
  plan.has_mask = does_pad;
  if (wishes.size) {
    plan.pad_to.reset();
    plan.pad_multiple = 1;
  }
  if (plan.pad_to) add_words(plan, "padded to " + to_string(*plan.pad_to));
  if (plan.pad_multiple > 1)
    add_words(plan, "padded to multiples of " + std::to_string(plan.pad_multiple));
  return done();
}

Status check_size(const PictureSize& size, const char* what) {
  const std::size_t longer = std::max(size.height, size.width);
  const std::size_t shorter = std::min(size.height, size.width);
  if (shorter > 0 && longer <= most_side && size.height * size.width <= most_pixels) return done();
  return fail(Fault::bad_input, "the picture would be " + to_string(size) + " after it is " + what,
              shorter == 0 ? "it would have no pixels"
                           : "a side may be " + format_count(most_side) + ", and a picture " +
                                 format_count(most_pixels) + " pixels",
              without_processor);
}

// The middle of it. Where the picture has less than what is asked for, half of what is missing
// stands on each side, the odd one before it.
Image crop(const Image& picture, const PictureSize& size) {
  Image made{size.width, size.height, picture.channels,
             std::string(size.width * size.height * picture.channels, '\0')};
  const auto place = [](std::size_t has, std::size_t wants) {
    // Where it begins in the picture, where in what is made, and how much of it.
    struct Place {
      std::size_t from, to, count;
    };
    return has >= wants ? Place{(has - wants) / 2, 0, wants} : Place{0, (wants - has + 1) / 2, has};
  };
  const auto rows = place(picture.height, size.height);
  const auto columns = place(picture.width, size.width);
  for (std::size_t y = 0; y < rows.count; ++y) {
    const std::size_t from = ((rows.from + y) * picture.width + columns.from) * picture.channels;
    const std::size_t to = ((rows.to + y) * size.width + columns.to) * picture.channels;
    std::copy_n(picture.bytes.data() + from, columns.count * picture.channels,
                made.bytes.data() + to);
  }
  return made;
}

struct Padding {
  PictureSize size;
  std::size_t top = 0;
  std::size_t left = 0;
};

Result<Padding> padding_of(const PicturePlan& plan, const PictureSize& inner) {
  Padding padding{inner};
  if (plan.pad_to) {
    if (inner.height > plan.pad_to->height || inner.width > plan.pad_to->width) {
      return fail(
          Fault::bad_input,
          "a picture of " + to_string(inner) + " cannot be padded to " + to_string(*plan.pad_to),
          "pad_size has to be as large as what it is for", without_processor);
    }
    padding.size = *plan.pad_to;
  }
  const auto rounded = [&](std::size_t side) {
    return (side + plan.pad_multiple - 1) / plan.pad_multiple * plan.pad_multiple;
  };
  if (plan.pad_multiple > 1) {
    padding.size = {rounded(inner.height), rounded(inner.width)};
    padding.top = (padding.size.height - inner.height) / 2;
    padding.left = (padding.size.width - inner.width) / 2;
  }
  HONE_TRY_DO(check_size(padding.size, "padded"));
  return padding;
}

// Bytes of the picture to numbers in their places.
PreparedPicture number(const PicturePlan& plan, const Image& picture, const Padding& padding) {
  PreparedPicture made{padding.size, {}, {}};
  const std::size_t plane = padding.size.height * padding.size.width;
  made.values.resize(channels * plane);
  if (plan.has_mask) made.mask.resize(plane);
  for (std::size_t y = 0; y < picture.height; ++y) {
    const auto* row =
        reinterpret_cast<const unsigned char*>(picture.bytes.data()) + y * picture.width * channels;
    const std::size_t at = (padding.top + y) * padding.size.width + padding.left;
    for (std::size_t channel = 0; channel < channels; ++channel) {
      const auto& numbers = plan.numbers[channel];
      const std::size_t to = plan.flips_channels ? channels - 1 - channel : channel;
      float* out = made.values.data() + to * plane + at;
      for (std::size_t x = 0; x < picture.width; ++x) out[x] = numbers[row[x * channels + channel]];
    }
    if (plan.has_mask) std::fill_n(made.mask.data() + at, picture.width, 1);
  }
  return made;
}

}  // namespace

Result<PicturePlan> read_picture_plan(Settings& settings, const PictureFacts& facts,
                                      const PictureWishes& wishes) {
  PicturePlan plan;
  HONE_TRY_DO(read_resize(settings, facts, wishes, plan));
  HONE_TRY_DO(read_crop(settings, wishes, plan));
  HONE_TRY_DO(read_numbers(settings, wishes, plan));
  HONE_TRY(plan.flips_channels, settings.flag("do_flip_channel_order"));
  plan.flips_channels = plan.flips_channels || facts.flips_channels;
  if (plan.flips_channels) add_words(plan, "blue, green, red");
  HONE_TRY_DO(read_pad(settings, wishes, plan));
  plan.has_mask = plan.has_mask && facts.has_mask;
  // Pictures are always read as red, green and blue.
  settings.pass("do_convert_rgb");
  return plan;
}

Result<PreparedPicture> prepare_picture(const PicturePlan& plan, const Image& picture) {
  HONE_CHECK(picture.channels == channels && !picture.bytes.empty());
  const PictureSize given{picture.height, picture.width};
  const PictureSize size = plan.sizing ? plan.sizing->size_of(given) : given;
  HONE_TRY_DO(check_size(size, "resized"));
  const PictureSize kept = plan.crop.value_or(size);
  HONE_TRY_DO(check_size(kept, "cropped"));
  HONE_TRY(const Padding padding, padding_of(plan, kept));
  Image made = resize(picture, size.width, size.height, plan.filter);
  if (kept != size) made = crop(made, kept);
  return number(plan, made, padding);
}

}  // namespace hone
