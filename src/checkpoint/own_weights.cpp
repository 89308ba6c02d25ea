#include "checkpoint/own_weights.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "checkpoint/weight_forms.h"
#include "model/edit.h"
#include "model/elements.h"

namespace hone {
namespace {

// As save_model has it: what is smaller stays in the model.
constexpr std::uint64_t smallest_outside = 1024;

class Rewriting {
 public:
  Rewriting(Model& model, const Path& file, const ByteProgress& progress)
      : graph_(*model.graph), path_(file), progress_(progress) {}

  Result<OwnWeights> run() {
    cast_tables();
    find_forms();
    for (const auto& [value, form] : needed_) HONE_TRY_DO(place(*value, form));
    HONE_TRY(AtomicFile file, AtomicFile::create(path_));
    HONE_TRY_DO(file.pad_to(end_));
    HONE_TRY_DO(file.flush());
    HONE_TRY_DO(write_weights(file, placed_, progress_));
    made_.bytes = file.size();
    HONE_TRY_DO(file.commit());
    remove_dead_nodes(graph_);
    remove_unused_initializers(graph_);
    for (const auto& [value, name] : names_) graph_.rename(*value, name);
    return made_;
  }

 private:
  // Rows that are looked up and made smaller: the table is made smaller instead.
  void cast_tables() {
    for (Node* node : graph_.node_list()) {
      Value* rows = node->input(0);
      Node* lookup = node->is("Cast") && rows ? rows->producer() : nullptr;
      if (!lookup || !lookup->is("Gather") || rows->uses().size() != 1 || rows->is_graph_output())
        continue;
      Value* table = lookup->input(0);
      const TensorPtr held = table ? table->initializer() : nullptr;
      const auto type = static_cast<ElementType>(node->int_or("to", 0));
      if (!held || !held->external || !holds_numbers(type) || !holds_numbers(held->type) ||
          bytes_per_element(type) > bytes_per_element(held->type))
        continue;
      Value& smaller = graph_.add_value(table->name() + "_cast");
      Node& cast = graph_.insert_before(*lookup, "Cast", {table}, {&smaller});
      cast.name = lookup->name + "/Cast";
      cast.set_attribute(make_attribute("to", static_cast<std::int64_t>(type)));
      lookup->set_input(0, &smaller);
      rows->type = node->output(0)->type;
      graph_.replace_uses(*node->output(0), *rows);
      graph_.remove_node(*node);
    }
  }

  // Nodes stand in the order in which they run.
  void find_forms() {
    for (Value* value : graph_.initializers()) {
      const TensorPtr& tensor = value->initializer();
      if (tensor && tensor->external && !tensor->absent) forms_[value] = {tensor, tensor->type};
    }
    for (Node* node : graph_.node_list()) {
      const auto form = form_made_by(*node);
      if (form) forms_[node->output(0)] = *form;
    }
    for (Value* value : graph_.values()) {
      const auto form = forms_.find(value);
      if (form != forms_.end() && is_needed(*value)) needed_.emplace_back(value, form->second);
    }
  }

  std::optional<WeightForm> form_made_by(const Node& node) const {
    const auto input = forms_.find(node.input(0));
    if (input == forms_.end() || node.output(0)->is_graph_output()) return std::nullopt;
    WeightForm form = input->second;
    if (node.is("Cast")) {
      form.type = static_cast<ElementType>(node.int_or("to", 0));
      return holds_numbers(form.type) && holds_numbers(form.source->type) ? std::optional(form)
                                                                          : std::nullopt;
    }
    const Attribute* order = node.attribute("perm");
    if (!node.is("Transpose") || form.source->dims.size() != 2 || order == nullptr ||
        order->as_ints() == nullptr || *order->as_ints() != Attribute::Ints{1, 0})
      return std::nullopt;
    form.is_turned = !form.is_turned;
    return form;
  }

  bool is_needed(const Value& value) const {
    return value.is_graph_output() || std::ranges::any_of(value.uses(), [&](const Use& use) {
             return !forms_.contains(use.node->output(0));
           });
  }

  Status place(Value& value, const WeightForm& form) {
    const auto key = std::tuple(form.source.get(), form.type, form.is_turned);
    TensorPtr& tensor = made_tensors_[key];
    if (!tensor) {
      HONE_TRY(tensor, make_new(form));
    }
    if (value.producer() == nullptr) {
      graph_.set_initializer(value, tensor);
      return done();
    }
    Value& constant = graph_.add_initializer(tensor);
    graph_.replace_uses(value, constant);
    names_.emplace_back(&constant, form.source->name);
    return done();
  }

  Result<TensorPtr> make_new(const WeightForm& form) {
    const std::uint64_t length = bytes_of(form);
    made_.turned += form.is_as_it_lies() ? 0 : 1;
    if (length < smallest_outside) {
      HONE_TRY(std::string bytes, read_weight(form));
      return make_tensor(form.source->name, form.type, dims_of(form), Blob::own(std::move(bytes)));
    }
    // Big ones start on a page, so that a runtime can map them where they lie.
    const std::uint64_t alignment = length >= (1U << 20) ? 4096 : 64;
    const std::uint64_t offset = (end_ + alignment - 1) / alignment * alignment;
    end_ = offset + length;
    placed_.push_back({form, offset});
    auto placed = std::make_shared<Tensor>();
    placed->name = form.source->name;
    placed->type = form.type;
    placed->dims = dims_of(form);
    placed->external = ExternalData{path_.filename().string(), offset, length, {}};
    placed->absent = true;  // it is there once the file has its name
    ++made_.tensors;
    return TensorPtr(std::move(placed));
  }

  Graph& graph_;
  const Path& path_;
  const ByteProgress& progress_;
  std::map<const Value*, WeightForm> forms_;
  std::vector<std::pair<Value*, WeightForm>> needed_;
  std::map<std::tuple<const Tensor*, ElementType, bool>, TensorPtr> made_tensors_;
  std::vector<PlacedWeight> placed_;
  std::uint64_t end_ = 0;  // of the file
  std::vector<std::pair<Value*, std::string>> names_;
  OwnWeights made_;
};

}  // namespace

Result<OwnWeights> give_own_weights(Model& model, const Path& file, const ByteProgress& progress) {
  return Rewriting(model, file, progress).run();
}

}  // namespace hone
