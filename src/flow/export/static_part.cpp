#include "flow/export/static_part.h"

#include <optional>

#include "flow/given_model.h"
#include "flow/parts/folder.h"
#include "flow/static_shapes.h"
#include "flow/transform_tools.h"
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

}  // namespace

Status fix_shapes_of_parts(const std::vector<Path>& files, const ExportModelOrder& order,
                           const Watch& watch) {
  HONE_TRY_DO(check_inputs(order.shape_config, files));
  for (const Path& file : files) HONE_TRY_DO(fix_shapes_of_part(file, order, watch));
  return done();
}

}  // namespace hone
