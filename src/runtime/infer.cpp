#include "runtime/infer.h"

#include <algorithm>

#include "record/probe_graph.h"
#include "runtime/light_model.h"
#include "runtime/session.h"

namespace hone {
namespace {

constexpr auto probe_ep = "HoneProbe";
Status register_probe(Runtime& runtime, const Path& library) {
  const std::vector<EpDevice> devices = runtime.devices();
  const bool is_there = std::ranges::any_of(
      devices, [](const EpDevice& device) { return device.facts.ep == probe_ep; });
  return is_there ? done() : runtime.register_library("hone", library);
}

Dim dim_of(const Json& size) {
  if (const std::string* symbol = size.as_string()) return {.symbol = *symbol};
  const auto number = size.to_int();
  return number ? Dim{.value = *number} : Dim{};
}

void take_type(const ProbeValue& found, Value& value) {
  const auto element = found.type ? element_type_named(*found.type) : std::nullopt;
  if (found.kind != "tensor" || !element) return;
  if (!found.shape) {
    if (!value.type.is_known()) value.type = Type::tensor(*element);
    return;
  }
  Shape shape;
  for (const Json& size : *found.shape) shape.push_back(dim_of(size));
  value.type = Type::tensor(*element, std::move(shape));
}

void take_types(const ProbeGraph& found, Graph& graph);

void take_types_inside(const ProbeNode& found, Graph& graph) {
  const auto named =
      std::ranges::find_if(found.outputs, [](const auto& name) { return !name.empty(); });
  const Value* output = named != found.outputs.end() ? graph.find(*named) : nullptr;
  if (output == nullptr || output->producer() == nullptr) return;
  for (const ProbeSubgraph& inner : found.subgraphs) {
    const Attribute* attribute = output->producer()->attribute(inner.attribute);
    if (attribute == nullptr || attribute->graphs().size() != 1) continue;
    take_types(inner.graph, *attribute->graphs().front());
  }
}

void take_types(const ProbeGraph& found, Graph& graph) {
  for (const ProbeValue& value : found.values) {
    Value* ours = graph.find(value.name);
    // Inputs and outputs are the model's word to its users.
    const bool is_declared = ours != nullptr && ours->type.is_known() && ours->type.shape &&
                             (ours->is_graph_input() || ours->is_graph_output());
    if (ours != nullptr && !is_declared) take_type(value, *ours);
  }
  for (const ProbeNode& node : found.nodes) take_types_inside(node, graph);
}

}  // namespace

Status infer_types(const std::shared_ptr<Runtime>& runtime, const Path& library, Model& model) {
  HONE_TRY_DO(register_probe(*runtime, library));
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("probe"));
  const Path dump = folder.path() / "graph.json";
  SessionSettings settings;
  settings.target = {
      .ep = probe_ep, .device = "cpu", .options = {{"dump", dump.string()}, {"stop", "1"}}};
  settings.options = {{"graph_optimization_level", "disable"}};
  const Path light = folder.path() / "model.onnx";
  HONE_TRY_DO(write_light_model(model, light));
  // The session is stopped by the probe, so whether it opened says nothing; the dump does.
  const auto session = Session::open(runtime, light, settings);
  const auto text = read_file(dump);
  if (!text) {
    return fail(Fault::runtime, "cannot infer the shapes of the model",
                session ? "the probe wrote nothing" : session.error().cause);
  }
  HONE_TRY(const Json document, Json::parse(*text));
  HONE_TRY(const ProbeDump found, from_document<ProbeDump>(document, probe_graph_schema));
  take_types(found.graph, *model.graph);
  return done();
}

}  // namespace hone
