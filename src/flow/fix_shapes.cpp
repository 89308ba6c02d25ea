#include "flow/fix_shapes.h"

#include "base/folder.h"
#include "flow/given_model.h"
#include "flow/static_shapes.h"
#include "flow/transform_tools.h"
#include "transform/fix_shapes.h"

namespace hone {

Result<FixShapesReport> fix_shapes_of_model(const FixShapesOrder& order, const Watch& watch) {
  HONE_TRY_DO(refuse_existing(order.output, order.overwrite));
  HONE_TRY(const Path file, find_model_file(order.model, order.where.host));
  HONE_TRY(const Model model, load_whole_model(file));
  HONE_TRY(const InputShapes shapes,
           settle_static_shapes(order.where, {file, order.shape_config,
                                              "static shapes need a size for every dimension"}));
  HONE_TRY(const TransformTools tools, make_tools(order.where.host, watch));
  const SampleSource samples{
      .data = order.input_data, .shape_config = order.shape_config, .seed = order.seed};
  HONE_TRY(FixedModel fixed, fix_shapes(tools, model, shapes, samples));
  SaveOptions options;
  options.overwrite = order.overwrite;
  HONE_TRY_DO(save_model(fixed.model, order.output, options));
  fixed.report.model = order.model;
  fixed.report.output = order.output;
  return std::move(fixed.report);
}

}  // namespace hone
