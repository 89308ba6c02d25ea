#include "inspect/eval/embedding.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace hone {
namespace {

std::vector<double> of_length_one(std::vector<double> vector) {
  const double length = std::sqrt(dot(vector, vector));
  if (length > 0)
    for (double& value : vector) value /= length;
  return vector;
}

}  // namespace

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

LabelledSample embedding_sample(const TokenInputs& inputs, const tokenize::Encoding& encoding) {
  Json label = Json::object();
  label.set("tokens", encoding.size());
  return {inputs.sample(encoding), std::move(label)};
}

Embedder::Embedder(const TaskSettings& settings)
    : output_(settings.output), pooling_(settings.pooling) {
  const auto ready = std::ranges::find(settings.outputs, "sentence_embedding");
  const bool is_first = !settings.outputs.empty() && output_ == settings.outputs.front();
  if (is_first && ready != settings.outputs.end()) output_ = *ready;
}

Result<std::vector<double>> Embedder::read(const NamedTensors& outputs, const Json& label) const {
  HONE_TRY(std::vector<double> numbers, numbers_of_output(outputs, output_));
  const std::vector<std::int64_t>& dims = outputs.at(output_)->dims;
  if (dims.size() == 2 && dims[0] == 1) return of_length_one(std::move(numbers));
  const Json* given = label.find("tokens");
  if (dims.size() != 3 || dims[0] != 1 || given == nullptr) {
    return fail(Fault::bad_input, "the output '" + printable(output_) + "' is no vector of a text",
                "it is neither [1, size] nor [1, tokens, size]", "name another one: --output-name");
  }
  HONE_TRY(const std::uint64_t tokens, given->to_uint());
  const auto size = static_cast<std::size_t>(dims[2]);
  const auto rows = static_cast<std::size_t>(
      std::clamp<std::uint64_t>(tokens, 1, static_cast<std::uint64_t>(dims[1])));
  std::vector<double> pooled(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(size));
  if (pooling_ == "cls") return of_length_one(std::move(pooled));
  for (std::size_t row = 1; row < rows; ++row) {
    for (std::size_t i = 0; i < size; ++i) {
      const double value = numbers[row * size + i];
      pooled[i] = pooling_ == "max" ? std::max(pooled[i], value) : pooled[i] + value;
    }
  }
  // The mean differs from the sum by a length, which is made 1.
  return of_length_one(std::move(pooled));
}

std::map<std::string, std::string> Embedder::described() const {
  return {{"output", output_}, {"pooling", pooling_ + ", length 1"}};
}

Result<std::string> find_pooling(const Path& folder) {
  const Path file = folder / "1_Pooling" / "config.json";
  if (!std::filesystem::exists(file)) return std::string("mean");
  HONE_TRY(const std::string text, read_file(file));
  HONE_TRY(const Json config, Json::parse(text));
  const auto says = [&](const std::string& mode) {
    const Json* value = config.find("pooling_mode_" + mode);
    return value != nullptr && value->as_bool() != nullptr && *value->as_bool();
  };
  if (says("cls_token")) return std::string("cls");
  if (says("max_tokens")) return std::string("max");
  if (says("mean_tokens")) return std::string("mean");
  return fail(Fault::unsupported, "'" + file.string() + "' pools in a way that hone does not know",
              {}, "cls_token, mean_tokens and max_tokens are known");
}

}  // namespace hone
