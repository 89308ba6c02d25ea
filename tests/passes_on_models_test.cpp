// The passes on whole models: all of them in order, and each one alone. What a model computes stays
// what it was. Prints how often each pass fired.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/file.h"
#include "model/opset/convert.h"
#include "real_runtime.h"
#include "runtime/infer.h"
#include "runtime/samples.h"
#include "transform/pass.h"

namespace hone {
namespace {

// The tiny models of the repository, and the real ones that `make setup` fetched.
std::vector<std::string> model_files() {
  std::vector<std::string> files;
  for (const char* folder : {"tests/fixtures/tiny", "build/models"}) {
    const Path path = Path(HONE_SOURCE_DIR) / folder;
    if (!std::filesystem::exists(path)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.path().extension() == ".onnx") files.push_back(entry.path().string());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string test_name(const testing::TestParamInfo<std::string>& instance) {
  const Path path(instance.param);
  std::string name = path.parent_path().filename().string() + "_" + path.stem().string();
  std::ranges::replace_if(
      name, [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0; }, '_');
  return name;
}

Result<NamedTensors> outputs_of(const Model& model, const Model& for_samples) {
  SessionSettings settings;
  settings.options = {{"graph_optimization_level", "disable"}};
  HONE_TRY(const std::string bytes, serialize(model));
  HONE_TRY(const Session session, Session::open_bytes(onnxruntime(), bytes, settings));
  // Text recognizers take lines of 48 pixels; an open height would be assumed to be larger.
  ShapeRules rules;
  const auto& inputs = session.inputs();
  const bool is_recognizer = model.source.filename().string().find("_rec") != std::string::npos;
  if (is_recognizer) rules.inputs[inputs.front().name] = {1, 3, 48, 320};
  HONE_TRY(const GeneratedSamples samples,
           generate_samples(inputs, rules, read_input_facts(for_samples), 7, 1));
  return session.run(samples.samples.front());
}

// What goes into a Sigmoid at the end, as an output of its own: of numbers far from zero a Sigmoid
// makes 0 or 1, and hides what they were.
void show_what_sigmoids_hide(Graph& graph) {
  const std::vector<Value*> outputs = graph.outputs();
  for (const Value* output : outputs) {
    const Node* sigmoid = producer_of(output, "Sigmoid");
    if (sigmoid != nullptr && !sigmoid->input(0)->is_graph_output()) {
      graph.add_output(*sigmoid->input(0));
    }
  }
}

std::size_t count_nodes(const Model& model) {
  return static_cast<std::size_t>(std::ranges::count_if(
      model.graph->nodes(), [](const Node& node) { return !node.is("Constant"); }));
}

// Within a ten-thousandth of the output's range. ONNX Runtime's Sigmoid itself is good to 1e-6.
void expect_close(const NamedTensors& before, const NamedTensors& after) {
  ASSERT_EQ(before.size(), after.size());
  for (const auto& [name, expected] : before) {
    ASSERT_TRUE(after.contains(name)) << name;
    ASSERT_EQ(after.at(name)->dims, expected->dims) << name;
    ASSERT_EQ(after.at(name)->type, expected->type) << name;
    if (!is_float(expected->type)) {
      EXPECT_TRUE(after.at(name)->bytes().value() == expected->bytes().value()) << name;
      continue;
    }
    const auto wanted = to_doubles(*expected).value();
    const auto seen = to_doubles(*after.at(name)).value();
    const auto [least, most] = std::ranges::minmax(wanted);
    double worst = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      worst = std::isfinite(seen[i]) ? std::max(worst, std::abs(seen[i] - wanted[i])) : INFINITY;
    }
    EXPECT_LE(worst, std::max(1e-4 * (most - least), 1e-6)) << name << " differs";
  }
}

void infer(Model& model) {
  const Status inferred = infer_types(onnxruntime(), HONE_EP_LIBRARY, model);
  ASSERT_TRUE(inferred) << inferred.error().what << ": " << inferred.error().cause;
}

// A model ready for passes, and what it computes.
struct Original {
  Model model;
  NamedTensors outputs{};

  void expect_same_outputs(const Model& changed) const {
    const auto seen = outputs_of(changed, model);
    ASSERT_TRUE(seen) << seen.error().what << ": " << seen.error().cause;
    expect_close(outputs, *seen);
  }
};

class PassesOnModels : public testing::TestWithParam<std::string> {
 protected:
  // As it is, and of an opset that all passes know.
  void SetUp() override {
    auto loaded = load_model(GetParam());
    ASSERT_TRUE(loaded) << loaded.error().what;
    originals_.push_back({std::move(*loaded)});
    constexpr int wanted_opset = 17;
    if (originals_.front().model.opset() < wanted_opset) {
      originals_.push_back({clone(originals_.front().model)});
      const auto converted = convert_opset(originals_.back().model, wanted_opset);
      ASSERT_TRUE(converted) << converted.error().what;
    }
    for (Original& original : originals_) {
      infer(original.model);
      show_what_sigmoids_hide(*original.model.graph);
      auto outputs = outputs_of(original.model, original.model);
      ASSERT_TRUE(outputs) << outputs.error().what << ": " << outputs.error().cause;
      original.outputs = std::move(*outputs);
    }
  }

  std::vector<Original> originals_;
};

// How often the pass fired, once and again with what inference knows of the model it made.
std::size_t run_until_settled(const Pass& pass, Model& model) {
  std::size_t rewrites = 0;
  constexpr int most_rounds = 8;
  for (int round = 0; round < most_rounds; ++round) {
    const auto effect = run_pass(pass, model);
    EXPECT_TRUE(effect) << pass.name << ": " << effect.error().what;
    if (!effect || effect->rewrites == 0) return rewrites;
    rewrites += effect->rewrites;
    infer(model);
  }
  ADD_FAILURE() << pass.name << " does not settle";
  return rewrites;
}

void run_all(Model& model) {
  const std::size_t nodes = count_nodes(model);
  std::cout << "  opset " << model.opset() << ":";
  for (const Pass& pass : all_passes()) {
    if (pass.numerics == Numerics::relaxed) continue;
    const std::size_t rewrites = run_until_settled(pass, model);
    if (rewrites > 0) std::cout << " " << pass.name << " " << rewrites << ",";
  }
  std::cout << " nodes " << nodes << " -> " << count_nodes(model) << "\n";
}

TEST_P(PassesOnModels, InOrderKeepWhatTheModelComputes) {
  for (const Original& original : originals_) {
    Model model = clone(original.model);
    run_all(model);
    original.expect_same_outputs(model);
  }
}

TEST_P(PassesOnModels, AloneKeepWhatTheModelComputes) {
  for (const Pass& pass : all_passes()) {
    SCOPED_TRACE(pass.name);
    const Original& original = originals_.back();
    Model model = clone(original.model);
    const auto effect = run_pass(pass, model);
    ASSERT_TRUE(effect) << effect.error().what;
    if (effect->rewrites == 0) continue;
    if (pass.numerics != Numerics::relaxed) {
      original.expect_same_outputs(model);
      continue;
    }
    // It may change the numbers, but the model still runs.
    const auto outputs = outputs_of(model, original.model);
    EXPECT_TRUE(outputs) << outputs.error().what << ": " << outputs.error().cause;
  }
}

INSTANTIATE_TEST_SUITE_P(All, PassesOnModels, testing::ValuesIn(model_files()), test_name);

}  // namespace
}  // namespace hone
