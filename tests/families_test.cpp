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
    EXPECT_NE(at, given.end()) << "the reference has no input for " << port.name;
    if (at != given.end()) inputs[port.name] = at->second;
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

// What the reference pins: where scores are as good as equal, rounding says which are the best. Its
// array "at_NAME" takes the place of what the graph computes under that name.
void pin(Graph& graph, const std::vector<TensorPtr>& arrays) {
  for (const auto& [name, array] : named("at_", arrays)) {
    Value* computed = graph.find(name);
    ASSERT_NE(computed, nullptr) << name;
    graph.replace_uses(*computed, graph.add_initializer(array));
  }
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
    pin(*graph.model.graph, arrays);
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
