// Every family beside transformers: small checkpoints that it saved, with what it computed from
// them (tests/fixtures/hf/NAME/reference.npz), in each form and at each opset.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "checkpoint/export.h"
#include "model/npz/npz.h"
#include "real_runtime.h"
#include "runtime/session.h"

namespace hone {
namespace {

struct FormAt {
  const char* name;
  GraphForm form;
  std::int64_t opset;
};

constexpr FormAt forms[] = {
    {"standard_17", GraphForm::standard, 17},
    {"standard_21", GraphForm::standard, 21},
    {"standard_23", GraphForm::standard, 23},
    {"contrib_17", GraphForm::contrib, 17},
    {"onnx_attention_23", GraphForm::onnx_attention, 23},
};

std::vector<std::string> checkpoints() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(HONE_SOURCE_DIR "/tests/fixtures/hf")) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

NamedTensors named(const std::string& start, const std::vector<TensorPtr>& arrays) {
  NamedTensors found;
  for (const TensorPtr& array : arrays) {
    if (array->name.starts_with(start)) found[array->name.substr(start.size())] = array;
  }
  return found;
}

TensorPtr whole_numbers(const std::string& name, const std::vector<std::int64_t>& numbers) {
  const TensorPtr flat = make_int64_tensor(name, numbers);
  return make_tensor(name, ElementType::int64, {1, flat->dims.front()}, flat->dense);
}

// What no reference has: where tokens stand, and caches in which nothing is yet. Null for others.
TensorPtr input_of_a_beginning(const Port& port, const NamedTensors& given) {
  const std::vector<std::int64_t>& dims = given.at("input_ids")->dims;
  if (port.name == "position_ids") {
    std::string bytes;
    for (std::int64_t row = 0; row < dims[0]; ++row) {
      for (std::int64_t i = 0; i < dims[1]; ++i) {
        bytes.append(reinterpret_cast<const char*>(&i), sizeof i);
      }
    }
    return make_tensor(port.name, ElementType::int64, dims, Blob::own(std::move(bytes)));
  }
  if (!port.name.starts_with("past_key_values.")) return nullptr;
  std::vector<std::int64_t> empty;
  for (const Dim& dim : port.type.shape.value()) empty.push_back(dim.value.value_or(0));
  empty[0] = dims[0];
  return make_tensor(port.name, port.type.element, empty, {});
}

// What a graph is fed with: inputs of the reference by their names, and what graphs before it made.
// Decoders call their tokens input_ids, and the mask of what the encoder saw by another name.
NamedTensors inputs_of(const Session& session, const NamedTensors& given, bool is_decoder) {
  static const std::map<std::string, std::string> of_decoders = {
      {"input_ids", "decoder_input_ids"}, {"encoder_attention_mask", "attention_mask"}};
  NamedTensors inputs;
  for (const Port& port : session.inputs()) {
    const auto other = of_decoders.find(port.name);
    const std::string name = is_decoder && other != of_decoders.end() ? other->second : port.name;
    const auto at = given.find(name);
    const TensorPtr input = at != given.end() ? at->second : input_of_a_beginning(port, given);
    EXPECT_NE(input, nullptr) << "the reference has no input for " << port.name;
    if (input) inputs[port.name] = input;
  }
  return inputs;
}

// The largest difference as a share of the largest value.
double distance(const Tensor& ours, const Tensor& theirs) {
  EXPECT_EQ(ours.dims, theirs.dims) << ours.name;
  if (ours.dims != theirs.dims) return 1e9;
  const auto a = to_doubles(ours).value();
  const auto b = to_doubles(theirs).value();
  double largest = 0;
  double difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i])) return 1e9;
    largest = std::max(largest, std::abs(b[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  return largest == 0 ? difference : difference / largest;
}

// The first sample of the reference without its padding.
std::vector<std::int64_t> prompt_of(const NamedTensors& given) {
  std::vector<std::int64_t> ids = to_ints(*given.at("input_ids")).value();
  const std::vector<std::int64_t> mask = to_ints(*given.at("attention_mask")).value();
  ids.resize(static_cast<std::size_t>(given.at("input_ids")->dims.at(1)));
  std::vector<std::int64_t> prompt;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (mask[i] == 1) prompt.push_back(ids[i]);
  }
  return prompt;
}

// The inputs of the next step of a decoder without an encoder; `before` is what the last one made.
NamedTensors next_step(const Session& session, const std::vector<std::int64_t>& tokens,
                       std::int64_t past, const NamedTensors& before) {
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    places.push_back(past + static_cast<std::int64_t>(i));
  }
  const std::vector<std::int64_t> ones(static_cast<std::size_t>(past) + tokens.size(), 1);
  NamedTensors given = {{"input_ids", whole_numbers("input_ids", tokens)},
                        {"attention_mask", whole_numbers("attention_mask", ones)},
                        {"position_ids", whole_numbers("position_ids", places)}};
  for (const auto& [name, tensor] : before) {
    if (name.starts_with("present.")) given["past_key_values" + name.substr(7)] = tensor;
  }
  return inputs_of(session, given, false);
}

std::int64_t likeliest_last(const Tensor& logits) {
  const std::vector<double> numbers = to_doubles(logits).value();
  const auto last = numbers.end() - logits.dims.back();
  return std::max_element(last, numbers.end()) - last;
}

class Families : public testing::TestWithParam<std::tuple<std::string, FormAt>> {};

TEST_P(Families, ComputeWhatTransformersComputes) {
  const auto& [name, how] = GetParam();
  const Path folder = Path(HONE_SOURCE_DIR "/tests/fixtures/hf") / name;
  const auto exported =
      export_checkpoint(folder, {.task = {}, .net = {.opset = how.opset, .form = how.form}});
  ASSERT_TRUE(exported) << exported.error().what << ": " << exported.error().cause;
  EXPECT_EQ(exported->unused, std::vector<std::string>{});

  const std::vector<TensorPtr> arrays = read_npz(folder / "reference.npz").value();
  NamedTensors given = named("in_", arrays);
  NamedTensors expected = named("out_", arrays);
  std::size_t compared = 0;
  for (const ExportedGraph& graph : exported->graphs) {
    if (graph.part.find("with_past") != std::string::npos) continue;
    const auto session = Session::open_model(onnxruntime(), graph.model, {});
    ASSERT_TRUE(session) << graph.part << ": " << session.error().what << ": "
                         << session.error().cause;
    const bool is_decoder = graph.part.starts_with("decoder");
    const auto made = session->run(inputs_of(*session, given, is_decoder));
    ASSERT_TRUE(made) << graph.part << ": " << made.error().what << ": " << made.error().cause;
    for (const auto& [output, tensor] : *made) {
      given[(graph.part.starts_with("encoder") ? "encoder_hidden_states" : output)] = tensor;
      const std::string theirs = graph.part.starts_with("encoder") ? "encoder_" + output : output;
      if (!expected.contains(theirs)) continue;
      ++compared;
      EXPECT_LE(distance(*tensor, *expected.at(theirs)), 1e-4) << graph.part << ": " << output;
    }
  }
  EXPECT_GT(compared, 0U);
}

// The prompt in two parts, then one token at a time, each behind the caches of those before it.
TEST_P(Families, GenerateWhatTransformersGenerates) {
  const auto& [name, how] = GetParam();
  const Path folder = Path(HONE_SOURCE_DIR "/tests/fixtures/hf") / name;
  const std::vector<TensorPtr> arrays = read_npz(folder / "reference.npz").value();
  const NamedTensors expected = named("greedy_", arrays);
  if (expected.empty()) GTEST_SKIP() << "it generates nothing";
  const auto exported =
      export_checkpoint(folder, {.task = {}, .net = {.opset = how.opset, .form = how.form}});
  ASSERT_TRUE(exported) << exported.error().what << ": " << exported.error().cause;
  if (exported->graphs.size() > 1) GTEST_SKIP() << "its decoder has an encoder";
  const auto session = Session::open_model(onnxruntime(), exported->graphs.front().model, {});
  ASSERT_TRUE(session) << session.error().what << ": " << session.error().cause;

  std::vector<std::int64_t> said = prompt_of(named("in_", arrays));
  const std::vector<std::int64_t> wanted = to_ints(*expected.begin()->second).value();
  std::ptrdiff_t begin = 0;
  std::ptrdiff_t end = std::ssize(said) / 2;
  NamedTensors made;
  while (said.size() < wanted.size()) {
    const std::vector<std::int64_t> tokens(said.begin() + begin, said.begin() + end);
    auto step = session->run(next_step(*session, tokens, begin, made));
    ASSERT_TRUE(step) << step.error().what << ": " << step.error().cause;
    made = std::move(*step);
    begin = end;
    if (end == std::ssize(said)) said.push_back(likeliest_last(*made.at("logits")));
    end = std::ssize(said);
  }
  EXPECT_EQ(said, wanted);

  // All at once, by the graph without caches.
  said.pop_back();
  const auto whole = export_checkpoint(
      folder, {.task = "text-generation", .net = {.opset = how.opset, .form = how.form}});
  ASSERT_TRUE(whole) << whole.error().what << ": " << whole.error().cause;
  const auto reader = Session::open_model(onnxruntime(), whole->graphs.front().model, {});
  ASSERT_TRUE(reader) << reader.error().what << ": " << reader.error().cause;
  const auto read = reader->run(next_step(*reader, said, 0, {}));
  ASSERT_TRUE(read) << read.error().what << ": " << read.error().cause;
  EXPECT_EQ(likeliest_last(*read->at("logits")), wanted.back());
}

INSTANTIATE_TEST_SUITE_P(All, Families,
                         testing::Combine(testing::ValuesIn(checkpoints()),
                                          testing::ValuesIn(forms)),
                         [](const auto& info) {
                           std::string name =
                               std::get<0>(info.param) + "_" + std::get<1>(info.param).name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace hone
