#include "inspect/debug/steps.h"

#include <algorithm>
#include <set>

#include "inspect/quantized_ops.h"
#include "model/edit.h"
#include "model/extract.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

// Everything a node reads of its own graph, its subgraphs' reading included.
void collect_reads(const Node& node, const Graph& graph, std::set<const Value*>& reads) {
  for (const Value* input : node.inputs()) {
    if (input != nullptr && &input->graph() == &graph) reads.insert(input);
  }
  for (const Graph* inner : node.subgraphs()) {
    for (const Node& below : inner->nodes()) collect_reads(below, graph, reads);
  }
}

// ONNX Runtime wants to know what it is given; sizes may differ from sample to sample.
Type type_of(const Tensor& tensor) { return Type::tensor(tensor.type, Shape(tensor.dims.size())); }

Tensor copy_of(const Tensor& tensor) {
  Tensor copy = tensor;
  copy.dense = Blob::own(std::string(tensor.dense.view()));
  return copy;
}

}  // namespace

Result<SteppedModel> SteppedModel::plan(std::shared_ptr<Runtime> runtime, Model& model,
                                        SessionSettings settings, std::vector<Step> steps) {
  HONE_TRY(const std::vector<Node*> order, topological_order(*model.graph));
  SteppedModel made(std::move(runtime), model, std::move(settings));
  HONE_CHECK(!steps.empty() && steps.back().end == order.size());
  std::size_t begin = 0;
  for (const Step& step : steps) {
    Stretch& stretch = made.stretches_.emplace_back();
    stretch.nodes.assign(order.begin() + static_cast<std::ptrdiff_t>(begin),
                         order.begin() + static_cast<std::ptrdiff_t>(step.end));
    begin = step.end;
  }
  made.add_ports(steps);
  return made;
}

// What a stretch takes from those before it, and what it leaves for those behind.
void SteppedModel::add_ports(const std::vector<Step>& steps) {
  std::unordered_map<const Value*, std::size_t> made_in;
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    for (const Node* node : stretches_[i].nodes) {
      for (const Value* output : node->outputs()) {
        if (output != nullptr) made_in.emplace(output, i);
      }
    }
  }
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    std::set<const Value*> reads;
    for (const Node* node : stretches_[i].nodes) collect_reads(*node, *model_->graph, reads);
    for (const Value* value : reads) {
      const auto maker = made_in.find(value);
      const bool is_given = maker != made_in.end()
                                ? maker->second < i
                                : value->is_graph_input() && !value->initializer();
      if (!is_given) continue;
      stretches_[i].inputs.push_back(value);
      last_need_[value] = i;
    }
    for (const Value* value : steps[i].wanted) last_need_[value] = std::max(last_need_[value], i);
  }
  for (const auto& [value, ignored] : last_need_) {
    const auto maker = made_in.find(value);
    if (maker != made_in.end()) stretches_[maker->second].outputs.push_back(value);
  }
  // The order of a hash map is nobody's business.
  for (Stretch& stretch : stretches_) {
    std::ranges::sort(stretch.inputs, {}, &Value::name);
    std::ranges::sort(stretch.outputs, {}, &Value::name);
  }
}

void SteppedModel::start(const Sample& sample) {
  at_ = 0;
  binding_.reset();
  held_.clear();
  for (const auto& [name, tensor] : sample) {
    const Value* input = model_->graph->find(name);
    if (input != nullptr) held_.emplace(input, *tensor);
  }
}

Status SteppedModel::open(Stretch& stretch) {
  const auto start = Clock::now();
  const bool is_whole = stretches_.size() == 1;
  Model part = extract(*model_, {stretch.nodes, stretch.inputs, stretch.outputs});
  for (Value* input : part.graph->inputs()) {
    const auto held = held_.find(model_->graph->find(input->name()));
    if (!is_whole && held != held_.end()) input->type = type_of(held->second);
  }
  HONE_TRY(Session session, Session::open_model(runtime_, part, settings_));
  stretch.session = std::make_unique<Session>(std::move(session));
  opening_ += Clock::now() - start;
  return done();
}

Status SteppedModel::next() {
  HONE_CHECK(at_ < stretches_.size());
  Stretch& stretch = stretches_[at_];
  // What the stretch before showed, and what nobody asks for any more.
  binding_.reset();
  std::erase_if(held_, [&](const auto& entry) {
    const auto need = last_need_.find(entry.first);
    return need == last_need_.end() || need->second < at_;
  });
  ++at_;
  if (stretch.nodes.empty() || stretch.outputs.empty()) return done();
  if (!stretch.session) HONE_TRY_DO(open(stretch));
  NamedTensors inputs;
  for (const Value* input : stretch.inputs) {
    const auto held = held_.find(input);
    if (held != held_.end()) inputs.emplace(input->name(), std::make_shared<Tensor>(held->second));
  }
  HONE_TRY(Binding binding, stretch.session->bind(inputs));
  binding_.emplace(std::move(binding));
  const auto start = Clock::now();
  HONE_TRY_DO(binding_->run());
  in_run_ += Clock::now() - start;
  placement_ = stretch.session->placement();
  return binding_->visit_outputs([&](const Tensor& output) {
    keep(output);
    return done();
  });
}

// A copy of what is needed beyond this stretch: the rest is looked at where it lies.
void SteppedModel::keep(const Tensor& output) {
  const Value* value = model_->graph->find(output.name);
  if (value == nullptr) return;
  const bool is_needed_later = last_need_.at(value) >= at_;
  held_.insert_or_assign(value, is_needed_later ? copy_of(output) : output);
}

const Tensor* SteppedModel::find(const Value* value) const {
  const auto held = held_.find(value);
  if (held != held_.end()) return &held->second;
  const TensorPtr constant = weight_behind(value);
  return constant.get();
}

}  // namespace hone
