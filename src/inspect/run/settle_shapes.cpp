#include "inspect/run/settle_shapes.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "inspect/eval/similarity.h"
#include "runtime/fit_inputs.h"

namespace hone {
namespace {

using Dims = std::vector<std::int64_t>;
using Shapes = std::map<std::string, Dims>;

// What is there decides what goes with it: a mask is as long as its tokens.
void add_given(const Sample& given, ShapeRules& rules) {
  for (const auto& [name, tensor] : given) {
    if (!tensor->dims.empty()) rules.inputs[name] = tensor->dims;
    if (tensor->element_count() != 1) continue;
    const auto number = numbers_in(*tensor);
    if (number && std::isfinite(number->front())) rules.values[name] = number->front();
  }
}

Result<ImageLayout> layout_of(const Port& declared, const Dims& dims) {
  const Port closed{declared.name, Type::tensor(declared.type.element, shape_of(dims))};
  auto layout = image_layout(closed, 1);
  const bool are_channels_open = !image_layout(declared, 1) && takes_picture(declared.type);
  if (layout || !are_channels_open) return layout;
  return fail(
      Fault::bad_input,
      "how many channels the input '" + printable(declared.name) + "' takes is not known",
      "it is " + to_string(declared.type),
      "say it with the whole shape: --shape-config " + printable(declared.name) + "=1x3x224x224");
}

// What the user wants for sides that are open; those that are not cannot be had otherwise.
Status size_picture(const ImageSize& size, const Port& port, ShapeRules& rules, Dims dims) {
  HONE_TRY(const ImageLayout layout, layout_of(port, dims));
  const std::int64_t wanted[] = {size.height, size.width};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t axis = layout.rows_axis + i;
    const auto& declared = (*port.type.shape)[axis].value;
    if (declared && *declared != wanted[i]) {
      return fail(Fault::bad_input,
                  "the input '" + printable(port.name) + "' takes no picture of " +
                      std::to_string(size.height) + "x" + std::to_string(size.width),
                  "it is " + to_string(port.type), "--image-size is for sides that are open");
    }
    dims[axis] = wanted[i];
  }
  rules.inputs[port.name] = std::move(dims);
  return done();
}

Status size_pictures(const ShapeRequest& request, ShapeRules& rules) {
  if (!request.image_size) return done();
  HONE_TRY(const ClosedInputs closed, close_inputs(request.ports, rules, request.facts));
  for (const Port& port : request.ports) {
    if (request.pictures.contains(port.name))
      HONE_TRY_DO(size_picture(*request.image_size, port, rules, closed.shapes.at(port.name)));
  }
  return done();
}

// What follows from what was given is nothing that could be otherwise.
bool has_guess(const ClosedInputs& closed) {
  const bool is_guessed = std::ranges::any_of(
      closed.open, [](const OpenDim& dim) { return dim.origin != DimOrigin::follows; });
  return is_guessed && !describe_assumptions(closed).empty();
}

}  // namespace

Port close_port(Port port, const ShapeRules& rules) {
  if (!port.type.shape) return port;
  Shape& shape = *port.type.shape;
  const auto whole = rules.inputs.find(port.name);
  const bool has_whole = whole != rules.inputs.end() && whole->second.size() == shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].value) continue;
    const auto size = rules.symbols.find(symbol_of(shape[i]));
    if (size != rules.symbols.end()) shape[i].value = size->second;
    if (has_whole) shape[i].value = whole->second[i];
  }
  return port;
}

Result<SettledShapes> settle_shapes(const ShapeRequest& request, const Sample& given) {
  ShapeRules rules = request.said;
  add_given(given, rules);
  HONE_TRY_DO(size_pictures(request, rules));
  HONE_TRY(ClosedInputs closed, close_inputs(request.ports, rules, request.facts));
  SettledShapes settled{.rules = rules_of(closed, request.ports)};
  if (has_guess(closed)) {
    RunPlan plan = request.plan;
    plan.input_data.clear();
    plan.shape_config = to_shape_text(rules);
    HONE_TRY(FittedInputs fitted, fit_inputs(plan, request.program));
    HONE_TRY(closed, close_inputs(request.ports, fitted.rules, request.facts));
    settled.rules = std::move(fitted.rules);
    settled.notes = std::move(fitted.notes);
  }
  settled.shapes = std::move(closed.shapes);
  for (const Port& port : request.ports) {
    if (!request.pictures.contains(port.name)) continue;
    HONE_TRY(settled.layouts[port.name], layout_of(port, settled.shapes.at(port.name)));
  }
  return settled;
}

}  // namespace hone
