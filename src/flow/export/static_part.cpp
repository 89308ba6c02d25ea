#include "flow/export/static_part.h"

#include <algorithm>
#include <optional>

#include "flow/given_model.h"
#include "flow/parts/folder.h"
#include "flow/static_shapes.h"
#include "flow/transform_tools.h"
#include "runtime/input_facts.h"
#include "runtime/samples.h"
#include "transform/fix_shapes.h"

namespace hone {
namespace {

// A caller might give another weight: nothing that depends on one is computed ahead, which would
// bring its bytes into the model.
void open_weights(Model& model) {
  for (Value* value : model.graph->initializers()) {
    const TensorPtr& tensor = value->initializer();
    if (!tensor || !tensor->external || value->is_graph_input()) continue;
    value->type = Type::tensor(tensor->type, shape_of(tensor->dims));
    model.graph->add_input(*value);
  }
}

void close_weights(Model& model) {
  for (Value* value : model.graph->initializers()) {
    if (!value->initializer() || !value->initializer()->external || !value->is_graph_input())
      continue;
    model.graph->remove_input(*value);
    value->type = {};
  }
}

Status fix_shapes_of_part(const Path& file, const ExportModelOrder& order, const Watch& watch) {
  Where where;
  where.host = order.host;
  HONE_TRY(const std::string words, shapes_of_part(file, order.shape_config));
  HONE_TRY(
      const InputShapes shapes,
      settle_static_shapes(where, {file, words, "static shapes need a size for every dimension"}));
  HONE_TRY(Model model, load_whole_model(file));
  open_weights(model);
  HONE_TRY(const TransformTools tools, make_tools(order.host, watch));
  std::optional<SampleSource> samples;
  if (order.checks) samples = SampleSource{.data = {}, .shape_config = words, .seed = order.seed};
  HONE_TRY(FixedModel fixed, fix_shapes(tools, model, shapes, samples));
  close_weights(fixed.model);
  SaveOptions options;
  options.placement = DataPlacement::keep;
  options.overwrite = true;
  HONE_TRY_DO(save_model(fixed.model, file, options));
  return done();
}

bool has_symbol(const Shape& shape, const std::string& symbol) {
  return std::ranges::any_of(shape, [&](const Dim& dim) { return symbol_of(dim) == symbol; });
}

// The sides of a model's pictures, where the checkpoint decides them: its positions are learned.
std::optional<std::string> fixed_sides(const Shape& picture) {
  constexpr std::size_t rank = 4;  // batch, channels, height, width
  if (picture.size() != rank || !picture[2].value || !picture[3].value) return std::nullopt;
  return std::to_string(*picture[2].value) + "x" + std::to_string(*picture[3].value);
}

// A height and a width that the checkpoint has anyway need not be said again; it has no others.
Result<std::string> without_fixed_sides(const std::string& said, const std::vector<Path>& files) {
  HONE_TRY(ShapeRules rules, parse_shape_rules(said));
  const auto height = rules.symbols.find("height");
  const auto width = rules.symbols.find("width");
  if (height == rules.symbols.end() || width == rules.symbols.end()) return said;
  const std::string wanted = std::to_string(height->second) + "x" + std::to_string(width->second);
  std::optional<std::string> fixed;
  for (const Path& file : files) {
    HONE_TRY(const Model model, load_model(file));
    for (const Value* input : model.graph->inputs()) {
      if (!input->type.shape) continue;
      if (has_symbol(*input->type.shape, "height")) return said;
      if (const auto sides = fixed_sides(*input->type.shape)) fixed = sides;
    }
  }
  if (!fixed) return said;
  if (*fixed != wanted) {
    return fail(Fault::bad_input, "pictures of this checkpoint are " + *fixed + ", not " + wanted,
                "its positions are learned for that size", "leave the size out");
  }
  rules.symbols.erase("height");
  rules.symbols.erase("width");
  return to_shape_text(rules);
}

}  // namespace

Status fix_shapes_of_parts(const std::vector<Path>& files, const ExportModelOrder& order,
                           const Watch& watch) {
  ExportModelOrder asked = order;
  HONE_TRY(asked.shape_config, without_fixed_sides(order.shape_config, files));
  HONE_TRY_DO(check_inputs(asked.shape_config, files));
  for (const Path& file : files) HONE_TRY_DO(fix_shapes_of_part(file, asked, watch));
  return done();
}

}  // namespace hone
