// Lines of text: which are read right to the last character, and how many characters are.
//
// Lines of printed text for PP-OCR's recognizers: black on white, 48 rows, as their own
// preprocessing would hand them over.

#include <algorithm>
#include <array>
#include <cmath>

#include "base/hash.h"
#include "base/system_files.h"
#include "base/text.h"
#include "inspect/eval/ctc.h"
#include "inspect/eval/dataset.h"
#include "inspect/eval/glyphs.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/words.h"
#include "model/weights/normal.h"

namespace hone::tasks {
namespace {

// --- The judge

class TextJudge : public Judge {
 public:
  TextJudge(std::string output, Characters characters)
      : output_(std::move(output)), characters_(std::move(characters)) {}

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    const std::string* label = judged.label.as_string();
    if (label == nullptr) {
      return fail(Fault::bad_input,
                  "the label of a line of text is the text, not " + judged.label.described_kind());
    }
    HONE_TRY(const std::vector<double> scores, numbers_of_output(judged.outputs, output_));
    HONE_TRY_DO(check(*judged.outputs.at(output_)));
    Unit unit;
    unit.expected = trimmed(*label);
    unit.got = trimmed(decode_greedily(scores, characters_));
    unit.scores = {unit.got == unit.expected ? 1.0 : 0.0,
                   character_accuracy(unit.expected, unit.got)};
    return std::optional(std::move(unit));
  }

 private:
  Status check(const Tensor& scores) const {
    const std::vector<std::int64_t>& dims = scores.dims;
    const auto classes = static_cast<std::int64_t>(characters_.size());
    if (dims.size() != 3 || dims[0] != 1) {
      return fail(Fault::bad_input,
                  "the output '" + output_ + "' is not one line's steps x characters: " +
                      to_string(Type::tensor(scores.type, shape_of(dims))),
                  {}, "name another one: --output-name NAME");
    }
    if (dims[2] == classes) return done();
    return fail(Fault::bad_input,
                "the model tells " + std::to_string(dims[2]) +
                    " classes apart, and the dictionary has " + std::to_string(classes) +
                    " with the blank and the space",
                {}, "give the model's own: --dictionary FILE, one character per line");
  }

  std::string output_;
  Characters characters_;
};

Result<std::unique_ptr<Judge>> open(const TaskSettings& settings) {
  Characters characters = english_characters();
  if (!settings.dictionary.empty()) {
    HONE_TRY(characters, read_characters(settings.dictionary));
  }
  return std::unique_ptr<Judge>(
      std::make_unique<TextJudge>(settings.output, std::move(characters)));
}

// --- The data

constexpr std::size_t line_height = 48;
constexpr std::size_t margin = 8;
// PP-OCR fills shorter lines up with zeros to its training shape, 3 x 48 x 320.
constexpr std::size_t least_width = 320;
constexpr std::size_t channels = 3;
constexpr double blur_deviation = 1.2;
constexpr double noise_deviation = 30;

struct FontFile {
  const char* path;
  const char* package;
};
constexpr std::array<FontFile, 8> font_files = {{
    {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "fonts-dejavu-core"},
    {"/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf", "fonts-dejavu-core"},
    {"/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf", "fonts-dejavu-core"},
    {"/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf", "fonts-dejavu-core"},
    {"/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf", "fonts-liberation"},
    {"/usr/share/fonts/truetype/liberation/LiberationSerif-Regular.ttf", "fonts-liberation"},
    {"/usr/share/fonts/truetype/liberation/LiberationMono-Regular.ttf", "fonts-liberation"},
    {"/usr/share/fonts/truetype/liberation/LiberationSans-Bold.ttf", "fonts-liberation"},
}};

Result<std::vector<Font>> open_fonts() {
  std::vector<Font> fonts;
  for (const FontFile& file : font_files) {
    Result<Font> font = Font::open(file.path);
    if (!font) {
      return fail(Fault::not_found, "text lines need the font '" + std::string(file.path) + "'",
                  font.error().what, "apt-get install " + std::string(file.package));
    }
    fonts.push_back(std::move(*font));
  }
  return fonts;
}

using Plane = std::vector<double>;

std::vector<double> gaussian(double deviation) {
  const auto reach = static_cast<int>(std::ceil(3 * deviation));
  std::vector<double> weights;
  double sum = 0;
  for (int i = -reach; i <= reach; ++i) {
    weights.push_back(std::exp(-0.5 * i * i / (deviation * deviation)));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// Along one axis; what is beyond the edge is like the edge.
Plane blurred(const Plane& plane, std::size_t lines, std::size_t length, std::size_t line_step,
              std::size_t step) {
  static const std::vector<double> weights = gaussian(blur_deviation);
  const auto reach = static_cast<std::ptrdiff_t>(weights.size() / 2);
  const auto last = static_cast<std::ptrdiff_t>(length) - 1;
  Plane result(plane.size());
  for (std::size_t line = 0; line < lines; ++line) {
    for (std::ptrdiff_t at = 0; at <= last; ++at) {
      double sum = 0;
      for (std::ptrdiff_t i = -reach; i <= reach; ++i) {
        const auto near = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at + i, 0, last));
        sum += weights[static_cast<std::size_t>(i + reach)] * plane[line * line_step + near * step];
      }
      result[line * line_step + static_cast<std::size_t>(at) * step] = sum;
    }
  }
  return result;
}

// Levels of grey from 0 to 255, black ink on white.
Plane paper(const Coverage& ink, bool noisy) {
  Plane plane(ink.ink.size());
  for (std::size_t i = 0; i < plane.size(); ++i) plane[i] = 255.0 - ink.ink[i];
  if (!noisy) return plane;
  plane = blurred(plane, ink.height, ink.width, ink.width, 1);
  return blurred(plane, ink.width, ink.height, 1, ink.width);
}

// What a picture file would hold: whole levels.
double level(double value) { return std::round(std::clamp(value, 0.0, 255.0)); }

// Blue, green and red planes, normalized to -1 .. 1, with zeros where the line is filled up.
TensorPtr line_tensor(const std::string& input, const Coverage& ink, bool noisy,
                      std::uint64_t seed) {
  const Plane plane = paper(ink, noisy);
  const std::size_t width = std::max(least_width, ink.width);
  std::vector<double> numbers(channels * line_height * width, 0.0);
  std::vector<double> noise((plane.size() + 1) / 2 * 2, 0.0);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    if (noisy) NormalStream(seed, "channel " + std::to_string(channel)).fill(0, noise);
    for (std::size_t y = 0; y < line_height; ++y) {
      for (std::size_t x = 0; x < ink.width; ++x) {
        const std::size_t at = y * ink.width + x;
        const double seen = level(plane[at] + noise_deviation * noise[at]);
        numbers[(channel * line_height + y) * width + x] = (seen / 255 - 0.5) / 0.5;
      }
    }
  }
  return make_float_input(
      input,
      {1, channels, static_cast<std::int64_t>(line_height), static_cast<std::int64_t>(width)},
      numbers);
}

Json parts(const std::vector<std::string>& words) {
  Json fonts = Json::array();
  for (const FontFile& file : font_files) fonts.push(file.path);
  Sha256 digest;
  for (const std::string& word : words) digest.add_field(word);
  Json made = Json::object();
  made.set("fonts", std::move(fonts));
  made.set("words_sha256", digest.finish().hex());
  return made;
}

Result<Json> make(const DatasetRequest& request, DatasetWriter& writer) {
  HONE_TRY(const std::vector<Font> fonts, open_fonts());
  HONE_TRY(const std::vector<std::string> words, read_words());
  const std::string input = request.input.empty() ? "x" : request.input;
  for (std::uint64_t i = 0; i < request.count; ++i) {
    // A stream per line: the first lines of a larger set are those of a smaller one.
    Random random(mix64(mix64(request.seed) + i));
    const std::string text = pick_words(words, 2, 5, random);
    const Font& font = fonts[random.below(fonts.size())];
    const auto size = static_cast<double>(22 + random.below(13));
    const Coverage ink = font.draw(text, size, line_height, margin);
    HONE_TRY_DO(writer.add({{input, line_tensor(input, ink, request.noisy, random.next())}}, text));
    if (request.progress) request.progress(i + 1, request.count);
  }
  return parts(words);
}

}  // namespace

Task text_recognition() {
  return {.name = "text-recognition",
          .summary = "Lines of text, read greedily (CTC): whole lines and characters",
          .feed = Feed::pictures,
          .metrics = {{"exact_line", true}, {"character_accuracy", false}},
          .label = "the text",
          .open = open,
          .data = {{.name = "text-lines",
                    .summary = "Printed lines for PP-OCR's recognizers, in fonts of the machine",
                    .count = 300,
                    .make = make}}};
}

}  // namespace hone::tasks
