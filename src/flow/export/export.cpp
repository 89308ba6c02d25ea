#include "flow/export/export.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <set>
#include <span>

#include "base/no_such.h"
#include "base/text.h"
#include "checkpoint/export.h"
#include "checkpoint/family.h"
#include "checkpoint/own_weights.h"
#include "flow/export/check.h"
#include "flow/export/companions.h"
#include "flow/export/place.h"
#include "flow/export/source.h"
#include "flow/export/static_part.h"
#include "flow/parts/layout.h"
#include "inspect/facts.h"
#include "inspect/parts/reference.h"
#include "model/opset/convert.h"
#include "transform/optimize.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

struct NamedForm {
  std::string_view name;
  GraphForm form;
};
constexpr auto forms = std::to_array<NamedForm>({{"standard", GraphForm::standard},
                                                 {"contrib", GraphForm::contrib},
                                                 {"onnx-attention", GraphForm::onnx_attention}});

// What rounding may come to, as a share of the largest value of an output: sums in another order,
// and in the type that was asked for.
struct NamedType {
  std::string_view name;
  ElementType type;
  double most_share;
};
constexpr auto types = std::to_array<NamedType>({{"float32", ElementType::float32, 1e-4},
                                                 {"float16", ElementType::float16, 1e-2},
                                                 {"bfloat16", ElementType::bfloat16, 8e-2}});

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

template <class Row>
Result<const Row*> row_named(std::span<const Row> rows, const std::string& option,
                             const std::string& name) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  if (found != rows.end()) return &*found;
  return no_such("value of " + option, name, names_of(rows));
}

Result<const NamedType*> type_for(const ExportModelOrder& order, const CheckpointSource& source) {
  if (order.dtype != "auto")
    return row_named(std::span<const NamedType>(types), "--dtype", order.dtype);
  HONE_TRY(const ElementType own, type_of_weights(source.folder, source.weights_file));
  return &*std::ranges::find(types, own, &NamedType::type);
}

std::set<std::string> data_of(const Model& model) {
  std::set<std::string> names;
  for_each_tensor(model, [&](const TensorPtr& tensor, const Node*) {
    if (tensor->external) names.insert(tensor->external->location);
  });
  return names;
}

// Has the tensors of one file be those of a copy of it.
Status move_to_copy(Model& model, const std::string& name, const Path& copy) {
  HONE_TRY(const Blob bytes, map_file(copy));
  map_tensors(model, [&](const TensorPtr& tensor, const Node*) -> TensorPtr {
    if (!tensor->external || tensor->external->location != name) return tensor;
    auto moved = std::make_shared<Tensor>(*tensor);
    moved->dense = bytes.slice(tensor->external->offset, tensor->external->length);
    return moved;
  });
  return done();
}

class Exporting {
 public:
  Exporting(const ExportModelOrder& order, const Watch& watch) : order_(order), watch_(watch) {}

  Result<ExportResult> run() {
    HONE_TRY_DO(read_order());
    HONE_TRY_DO(write_graphs());
    const auto weights_begin = Clock::now();
    HONE_TRY_DO(place_->refuse_taken(models_, rewrites_ ? own_data() : data_));
    HONE_TRY_DO(rewrites_ ? rewrite_weights() : bring_weights());
    HONE_TRY_DO(save());
    made_.times.weights_ms = milliseconds_since(weights_begin);
    HONE_TRY_DO(check());
    HONE_TRY_DO(describe_parts());
    HONE_TRY_DO(place_->finish(models_, data_));
    made_.times.total_ms = milliseconds_since(begin_);
    return std::move(made_);
  }

 private:
  Status read_order() {
    HONE_TRY(choice_.net.form, form_named(order_.form));
    if (order_.weights != "in-place" && order_.weights != "copy")
      return no_such("value of --weights", order_.weights,
                     std::vector<std::string>{"in-place", "copy"});
    rewrites_ = order_.weights == "copy";
    HONE_TRY(source_, find_checkpoint(order_.source));
    HONE_TRY(type_, type_for(order_, source_));
    HONE_TRY(ExportPlace place,
             ExportPlace::settle(order_.output, order_.overwrite, source_.folder));
    place_.emplace(std::move(place));
    const std::int64_t usual = usual_opset(order_.form);
    made_.opset = order_.opset == 0 ? usual : order_.opset;
    choice_.task = order_.task;
    choice_.weights_file = source_.weights_file;
    choice_.net.type = type_->type;
    choice_.net.opset = std::clamp(made_.opset, usual, newest_written_opset);
    return done();
  }

  Status write_graphs() {
    watch_.step("writing the graph");
    HONE_TRY(checkpoint_, export_checkpoint(source_.folder, choice_));
    made_.source = order_.source;
    made_.output = order_.output;
    made_.family = checkpoint_.family;
    made_.model_type = checkpoint_.model_type;
    made_.architecture = checkpoint_.architecture;
    made_.task = checkpoint_.task;
    made_.form = order_.form;
    made_.dtype = type_->name;
    for (const ConfigSwitch& one : checkpoint_.switches) {
      const auto value = Json::parse(one.value);
      made_.switches.push_back({one.name, value ? *value : Json(one.value), one.is_said});
    }
    made_.not_read = checkpoint_.not_read;
    made_.unused = checkpoint_.unused;
    HONE_TRY_DO(name_parts());
    for (ExportedGraph& graph : checkpoint_.graphs) {
      HONE_TRY_DO(bring_to_opset(graph.model));
      data_.merge(data_of(graph.model));
    }
    made_.times.graph_ms = milliseconds_since(begin_);
    return done();
  }

  Status name_parts() {
    std::vector<std::string> parts;
    for (const ExportedGraph& graph : checkpoint_.graphs) {
      parts.push_back(graph.part);
      models_.push_back(place_->name_of_part(graph.part));
    }
    if (!place_->is_file() || parts.size() == 1) return done();
    return fail(Fault::bad_input,
                "a " + made_.family + " for " + made_.task + " is " + std::to_string(parts.size()) +
                    " models: " + join(parts, ", "),
                {}, "-o with a folder");
  }

  Status bring_to_opset(Model& model) {
    if (choice_.net.opset == made_.opset) return done();
    HONE_TRY(const ConversionReport report, convert_opset(model, static_cast<int>(made_.opset)));
    for (const std::string& note : report.notes)
      if (std::ranges::find(made_.notes, note) == made_.notes.end()) made_.notes.push_back(note);
    return done();
  }

  std::set<std::string> own_data() const {
    std::set<std::string> names;
    for (const std::string& model : models_) names.insert(model + ".data");
    return names;
  }

  Status bring_weights() {
    const bool needs_them = order_.checks || !order_.shape_config.empty();
    if (place_->is_the_checkpoints()) made_.weights.placement = WeightPlacement::same_folder;
    if (place_->is_the_checkpoints() && !needs_them) return done();
    HONE_TRY(const Path folder, place_->made());
    for (const std::string& name : data_) {
      watch_.step("linking or copying " + name);
      HONE_TRY(const WeightPlacement how, place_->bring(name));
      if (how != WeightPlacement::copy) continue;
      for (ExportedGraph& graph : checkpoint_.graphs)
        HONE_TRY_DO(move_to_copy(graph.model, name, folder / name));
      if (!place_->is_the_checkpoints()) made_.weights.placement = WeightPlacement::copy;
    }
    return done();
  }

  Status rewrite_weights() {
    HONE_TRY(const Path folder, place_->made());
    made_.weights.placement = WeightPlacement::rewritten;
    data_ = own_data();
    for (std::size_t i = 0; i < models_.size(); ++i) {
      const auto progress = [&](std::uint64_t bytes, std::uint64_t total) {
        watch_.step("rewriting weights", bytes, total);
      };
      HONE_TRY_DO(
          give_own_weights(checkpoint_.graphs[i].model, folder / (models_[i] + ".data"), progress));
    }
    return done();
  }

  Status save() {
    HONE_TRY(const Path folder, place_->made());
    SaveOptions options;
    options.placement = DataPlacement::keep;
    for (std::size_t i = 0; i < models_.size(); ++i) {
      Model& model = checkpoint_.graphs[i].model;
      if (place_->is_the_checkpoints() && !rewrites_) leave_data(model);
      HONE_TRY_DO(save_model(model, folder / models_[i], options));
    }
    if (!order_.shape_config.empty()) {
      std::vector<Path> files;
      for (const std::string& model : models_) files.push_back(folder / model);
      HONE_TRY_DO(fix_shapes_of_parts(files, order_, watch_));
    }
    if (place_->is_file() || place_->is_the_checkpoints()) return done();
    HONE_TRY(made_.companions, copy_companions(source_.folder, folder));
    return models_.size() > 1 ? write_composite(folder, composite()) : done();
  }

  // What belongs together, and what feeds what.
  Composite composite() const {
    Composite made;
    std::vector<PartPorts> ports;
    for (std::size_t i = 0; i < models_.size(); ++i) {
      const ExportedGraph& graph = checkpoint_.graphs[i];
      made.parts.push_back({graph.part, models_[i]});
      ports.push_back(ports_of(graph.part, graph.model));
    }
    made.feeds = feeds_between(ports);
    return made;
  }

  // It is beside the place already: saving is not to bring it.
  static void leave_data(Model& model) {
    map_tensors(model, [](const TensorPtr& tensor, const Node*) -> TensorPtr {
      if (!tensor->external) return tensor;
      auto left = std::make_shared<Tensor>(*tensor);
      left->dense = {};
      left->absent = true;
      return left;
    });
  }

  Status check() {
    if (!order_.checks) return done();
    const auto check_begin = Clock::now();
    HONE_TRY(const Path folder, place_->made());
    ExportCheckOrder check;
    for (std::size_t i = 0; i < models_.size(); ++i)
      check.parts.push_back(
          {checkpoint_.graphs[i].part,
           std::filesystem::absolute(folder / models_[i]).lexically_normal().string()});
    const Path reference = std::filesystem::absolute(source_.folder / reference_name);
    std::error_code unknown;
    // Its inputs need not be of the sizes that were asked for.
    const bool is_open =
        order_.shape_config.empty() && task_of_architecture(made_.architecture) == made_.task;
    if (is_open && std::filesystem::exists(reference, unknown))
      check.reference = reference.string();
    check.most_share = type_->most_share;
    check.may_lack_kernels = type_->type == ElementType::bfloat16;
    check.seed = order_.seed;
    check.host = order_.host;
    HONE_TRY(made_.checked, check_export_apart(check, order_.allows_difference, watch_));
    made_.times.check_ms = milliseconds_since(check_begin);
    return done();
  }

  Status describe_parts() {
    HONE_TRY(const Path folder, place_->made());
    for (std::size_t i = 0; i < models_.size(); ++i) {
      const Path file = folder / models_[i];
      HONE_TRY(const Model model, load_model(file));
      ExportedPart part{.part = checkpoint_.graphs[i].part,
                        .file = (place_->folder() / models_[i]).lexically_normal().string(),
                        .bytes = 0,
                        .nodes = count_nodes(model),
                        .inputs = {},
                        .outputs = {}};
      HONE_TRY(part.bytes, size_of_file(file));
      for (const Value* value : model.graph->inputs())
        part.inputs.push_back(value_facts(value->name(), value->type));
      for (const Value* value : model.graph->outputs())
        part.outputs.push_back(value_facts(value->name(), value->type));
      made_.parts.push_back(std::move(part));
    }
    const bool are_there = place_->is_the_checkpoints() && !rewrites_;
    for (const std::string& name : data_) {
      made_.weights.files.push_back((place_->folder() / name).lexically_normal().string());
      HONE_TRY(const std::uint64_t bytes,
               size_of_file((are_there ? source_.folder : folder) / name));
      made_.weights.bytes += bytes;
    }
    return done();
  }

  const ExportModelOrder& order_;
  const Watch& watch_;
  const Clock::time_point begin_ = Clock::now();
  CheckpointSource source_;
  const NamedType* type_ = nullptr;
  ExportChoice choice_;
  std::optional<ExportPlace> place_;
  ExportedCheckpoint checkpoint_;
  bool rewrites_ = false;
  std::vector<std::string> models_;  // names of their files, in the order of the graphs
  std::set<std::string> data_;       // of those with their weights
  ExportResult made_;
};

}  // namespace

std::int64_t usual_opset(const std::string& form) {
  const auto* named = std::ranges::find(forms, form, &NamedForm::name);
  const bool needs_newer = named != forms.end() && named->form == GraphForm::onnx_attention;
  return needs_newer ? newest_written_opset : oldest_written_opset;
}

Result<GraphForm> form_named(const std::string& name) {
  HONE_TRY(const NamedForm* form, row_named(std::span<const NamedForm>(forms), "--form", name));
  return form->form;
}

Result<ExportResult> export_model(const ExportModelOrder& order, const Watch& watch) {
  return Exporting(order, watch).run();
}

}  // namespace hone
