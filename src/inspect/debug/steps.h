#pragma once
// A model run a stretch of nodes at a time. What is looked at in one stretch is gone before the
// next is run, and no node is run twice: memory is bounded and costs no time.

#include <chrono>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runtime/samples.h"

namespace hone {

// One stretch: the nodes up to `end`, in topological order, and the values to look at when they
// have run. A value may be wanted later than it is made.
struct Step {
  std::size_t end = 0;
  std::vector<const Value*> wanted;
};

class SteppedModel {
 public:
  // REQUIRES: the model outlives this; ends rise, and the last one is the number of nodes.
  static Result<SteppedModel> plan(std::shared_ptr<Runtime> runtime, Model& model,
                                   SessionSettings settings, std::vector<Step> steps);

  void start(const Sample& sample);
  // Runs the next stretch. What the one before showed is gone.
  Status next();
  // What a wanted value holds, or an input of the model or a constant; null: there is no such.
  const Tensor* find(const Value* value) const;

  const std::optional<Placement>& placement() const { return placement_; }  // of the last stretch
  std::chrono::nanoseconds in_run() const { return in_run_; }
  std::chrono::nanoseconds opening() const { return opening_; }

 private:
  struct Stretch {
    std::vector<const Node*> nodes;
    std::vector<const Value*> inputs;
    std::vector<const Value*> outputs;
    std::unique_ptr<Session> session;  // opened when it is first reached
  };

  SteppedModel(std::shared_ptr<Runtime> runtime, const Model& model, SessionSettings settings)
      : runtime_(std::move(runtime)), model_(&model), settings_(std::move(settings)) {}
  void add_ports(const std::vector<Step>& steps);
  Status open(Stretch& stretch);
  void keep(const Tensor& output);

  std::shared_ptr<Runtime> runtime_;
  const Model* model_;
  SessionSettings settings_;
  std::vector<Stretch> stretches_;
  std::unordered_map<const Value*, std::size_t> last_need_;  // the stretch that needs it last
  // Where we are.
  std::size_t at_ = 0;
  std::optional<Binding> binding_;
  std::unordered_map<const Value*, Tensor> held_;
  std::optional<Placement> placement_;
  std::chrono::nanoseconds in_run_{0};
  std::chrono::nanoseconds opening_{0};
};

}  // namespace hone
