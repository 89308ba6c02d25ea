#include "runtime/trial.h"

#include <algorithm>

#include "runtime/light_model.h"
#include "runtime/prepared.h"

namespace hone {
namespace {

// Below it, reading the weights costs less than writing a model without them.
constexpr std::uint64_t large_weights = std::uint64_t{64} << 20;

bool is_compiled(const Model& model) {
  return std::ranges::any_of(model.graph->nodes(),
                             [](const Node& node) { return node.op_type == "EPContext"; });
}

std::uint64_t weight_bytes(const Model& model) {
  std::uint64_t bytes = 0;
  for (const Value* value : model.graph->initializers()) bytes += value->initializer()->byte_size();
  return bytes;
}

}  // namespace

Result<Trial> Trial::open(std::shared_ptr<Runtime> runtime, const RunPlan& plan) {
  Trial trial;
  HONE_TRY(const Model model, load_model(plan.model));
  trial.facts_ = read_input_facts(model);
  trial.seed_ = plan.seed;
  SessionSettings settings = settings_of(plan);
  settings.profile_prefix.clear();
  Path file = plan.model;
  if (!is_compiled(model)) {
    settings.target = {};
    settings.options = {{"graph_optimization_level", "disable"}};
    if (weight_bytes(model) >= large_weights) {
      HONE_TRY(TemporaryFolder folder, TemporaryFolder::create("trial"));
      trial.folder_ = std::make_unique<TemporaryFolder>(std::move(folder));
      file = trial.folder_->path() / "model.onnx";
      HONE_TRY_DO(write_light_model(model, file));
    }
  }
  HONE_TRY(Session session, Session::open(std::move(runtime), file, settings));
  trial.session_ = std::make_unique<Session>(std::move(session));
  return trial;
}

Status Trial::run(const ShapeRules& rules) const {
  InputFacts ranges;
  ranges.ranges = facts_.ranges;
  HONE_TRY(const GeneratedSamples made,
           generate_samples(session_->inputs(), rules, ranges, seed_, 1));
  HONE_TRY_DO(session_->run(made.samples.front()));
  return done();
}

}  // namespace hone
