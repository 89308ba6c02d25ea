// Every family beside transformers, in each form and at each opset.

#include "checkpoints_for_tests.h"

namespace hone {
namespace {

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
  const Path folder = folder_of(name);
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
                         [](const auto& info) { return name_of(info); });

}  // namespace
}  // namespace hone
