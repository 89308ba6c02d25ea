#include "model/graph.h"

#include <algorithm>
#include <unordered_set>

namespace hone {

// ---- Value

TensorPtr Value::constant() const {
  if (initializer_) return is_input_ ? nullptr : initializer_;
  if (producer_ == nullptr || !producer_->is("Constant")) return nullptr;
  const Attribute* value = producer_->attribute("value");
  return value ? value->as_tensor() : nullptr;
}

// ---- Node: inputs, outputs, use lists

void Node::drop_use(Value* value, std::size_t index) {
  if (value == nullptr) return;
  auto& uses = value->uses_;
  uses.erase(std::find(uses.begin(), uses.end(), Use{this, index}));
}

void Node::set_input(std::size_t index, Value* value) {
  if (index >= inputs_.size()) inputs_.resize(index + 1, nullptr);
  drop_use(inputs_[index], index);
  inputs_[index] = value;
  if (value != nullptr) value->uses_.push_back({this, index});
}

void Node::set_inputs(std::vector<Value*> values) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) drop_use(inputs_[i], i);
  inputs_ = std::move(values);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i] != nullptr) inputs_[i]->uses_.push_back({this, i});
  }
}

void Node::set_outputs(std::vector<Value*> values) {
  for (Value* value : outputs_) {
    if (value != nullptr) value->producer_ = nullptr;
  }
  outputs_ = std::move(values);
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i] == nullptr) continue;
    HONE_CHECK(outputs_[i]->producer_ == nullptr);
    outputs_[i]->producer_ = this;
    outputs_[i]->output_index_ = i;
  }
}

// ---- Graph: values

struct Graph::Names {
  std::unordered_set<std::string> taken;
  // Where to go on counting for a stem, so that a thousand "axes" cost a thousand steps, not half a
  // million.
  std::unordered_map<std::string, int> next_number;
};

Graph::Graph(Graph* parent)
    : parent_(parent), names_(parent ? parent->names_ : std::make_shared<Names>()) {}

Graph::~Graph() = default;

std::vector<Value*> Graph::values() const {
  std::vector<Value*> live;
  for (const auto& value : values_) {
    if (!value->removed_) live.push_back(value.get());
  }
  return live;
}

std::vector<Value*> Graph::initializers() const {
  std::vector<Value*> found;
  for (const auto& value : values_) {
    if (!value->removed_ && value->initializer_) found.push_back(value.get());
  }
  return found;
}

void Graph::sort_values() {
  std::ranges::sort(values_, {},
                    [](const auto& value) -> const std::string& { return value->name(); });
}

Value* Graph::find(std::string_view value_name) const {
  const auto found = by_name_.find(value_name);
  return found == by_name_.end() ? nullptr : found->second;
}

Value* Graph::lookup(std::string_view value_name) const {
  for (const Graph* scope = this; scope != nullptr; scope = scope->parent_) {
    if (Value* value = scope->find(value_name)) return value;
  }
  return nullptr;
}

std::string Graph::unique_name(std::string_view wanted) const {
  const std::string stem(wanted.empty() ? "value" : wanted);
  if (!names_->taken.contains(stem)) return stem;
  int& number = names_->next_number[stem];
  std::string candidate;
  do {
    candidate = stem + "_" + std::to_string(++number);
  } while (names_->taken.contains(candidate));
  return candidate;
}

Value& Graph::declare_value(std::string value_name) {
  HONE_CHECK(find(value_name) == nullptr);
  names_->taken.insert(value_name);
  values_.push_back(std::unique_ptr<Value>(new Value(*this, std::move(value_name))));
  Value& value = *values_.back();
  by_name_.emplace(value.name_, &value);
  return value;
}

Value& Graph::add_value(std::string_view wanted_name, Type type) {
  Value& value = declare_value(unique_name(wanted_name));
  value.type = std::move(type);
  return value;
}

void Graph::rename(Value& value, std::string_view wanted_name) {
  if (value.name_ == wanted_name) return;
  std::string fresh = unique_name(wanted_name);
  by_name_.erase(value.name_);
  names_->taken.erase(value.name_);
  names_->taken.insert(fresh);
  value.name_ = std::move(fresh);
  by_name_.emplace(value.name_, &value);
}

void Graph::add_input(Value& value) {
  value.is_input_ = true;
  inputs_.push_back(&value);
}

void Graph::remove_input(Value& value) {
  value.is_input_ = false;
  std::erase(inputs_, &value);
}

void Graph::add_output(Value& value) {
  ++value.output_count_;
  outputs_.push_back(&value);
}

void Graph::set_output(std::size_t index, Value& value) {
  --outputs_[index]->output_count_;
  ++value.output_count_;
  outputs_[index] = &value;
}

Value& Graph::add_initializer(TensorPtr tensor) {
  Value& value = add_value(tensor->name);
  set_initializer(value, std::move(tensor));
  return value;
}

void Graph::set_initializer(Value& value, TensorPtr tensor) {
  value.initializer_ = std::move(tensor);
}

void Graph::set_sparse_initializer(Value& value, SparseTensorPtr tensor) {
  value.sparse_ = std::move(tensor);
}

void Graph::forget(Value& value) {
  value.removed_ = true;
  value.initializer_.reset();
  value.sparse_.reset();
  by_name_.erase(value.name_);
  names_->taken.erase(value.name_);
}

void Graph::remove_value(Value& value) {
  HONE_CHECK(!value.is_used() && value.producer_ == nullptr && !value.is_input_);
  forget(value);
}

void Graph::replace_uses(Value& from, Value& to) {
  const std::vector<Use> uses = from.uses_;
  for (const Use& use : uses) use.node->set_input(use.index, &to);
  if (!from.is_graph_output()) return;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i] == &from) set_output(i, to);
  }
  // The caller's interface is the name: hand it over unless `to` has a name that is promised
  // itself.
  const bool to_is_promised = to.is_input_ || &to.graph() != this || to.output_count_ > 1;
  if (to_is_promised) return;
  const std::string promised = from.name_;
  rename(from, promised + "_replaced");
  rename(to, promised);
  if (from.type.is_known()) to.type = from.type;
}

// ---- Graph: nodes

std::vector<Node*> Graph::node_list() {
  std::vector<Node*> list;
  list.reserve(nodes_.size());
  for (Node& node : nodes_) list.push_back(&node);
  return list;
}

Node& Graph::insert_at(std::list<Node>::iterator position, std::string op_type,
                       std::vector<Value*> inputs, std::vector<Value*> outputs) {
  const auto place = nodes_.insert(position, Node(*this));
  place->self_ = place;
  place->op_type = std::move(op_type);
  place->set_inputs(std::move(inputs));
  place->set_outputs(std::move(outputs));
  return *place;
}

Node& Graph::add_node(std::string op_type, std::vector<Value*> inputs,
                      std::vector<Value*> outputs) {
  return insert_at(nodes_.end(), std::move(op_type), std::move(inputs), std::move(outputs));
}

Node& Graph::insert_before(const Node& position, std::string op_type, std::vector<Value*> inputs,
                           std::vector<Value*> outputs) {
  return insert_at(position.self_, std::move(op_type), std::move(inputs), std::move(outputs));
}

// Takes every use made inside this graph out of the use lists, which may be those of outer values.
void Graph::detach_uses() {
  for (Value* output : outputs_) --output->output_count_;
  outputs_.clear();
  for (Node& node : nodes_) {
    node.set_inputs({});
    for (Graph* subgraph : node.subgraphs()) subgraph->detach_uses();
  }
}

void Graph::remove_node(Node& node) {
  for (Graph* subgraph : node.subgraphs()) subgraph->detach_uses();
  const std::vector<Value*> outputs = node.outputs_;
  for (const Value* value : outputs) HONE_CHECK(value == nullptr || !value->is_used());
  node.set_inputs({});
  node.set_outputs({});
  for (Value* value : outputs) {
    if (value != nullptr) forget(*value);
  }
  node.removed_ = true;
  removed_nodes_.splice(removed_nodes_.end(), nodes_, node.self_);
}

void Graph::move_before(Node& node, const Node& position) {
  nodes_.splice(position.self_, nodes_, node.self_);
}

void Graph::reorder(const std::vector<Node*>& order) {
  HONE_CHECK(order.size() == nodes_.size());
  for (Node* node : order) nodes_.splice(nodes_.end(), nodes_, node->self_);
}

}  // namespace hone
