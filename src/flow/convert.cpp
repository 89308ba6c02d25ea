#include "flow/convert.h"

#include "flow/given_model.h"
#include "model/opset/convert.h"

namespace hone {
namespace {

SaveOptions save_options(const ConvertOrder& order) {
  SaveOptions options;
  options.overwrite = order.overwrite;
  if (order.external_data == "keep") {
    options.placement = DataPlacement::keep;
  } else if (order.external_data == "inline") {
    options.placement = DataPlacement::inlined;
  } else if (!order.external_data.empty()) {
    options.placement = DataPlacement::split;
    options.data_file = order.external_data;
  }
  return options;
}

}  // namespace

Result<ConvertedModel> convert_model(const ConvertOrder& order) {
  HONE_TRY(const Path file, find_model_file(order.model, order.host));
  HONE_TRY(Model model, load_model(file));
  HONE_TRY(ConversionReport report, convert_opset(model, static_cast<int>(order.opset)));
  HONE_TRY(const SaveReport saved, save_model(model, order.output, save_options(order)));
  ConvertedModel made{.from = report.from,
                      .to = report.to,
                      .changed_nodes = report.changed_nodes,
                      .ir_version = report.ir_to,
                      .changes = std::move(report.changes),
                      .notes = std::move(report.notes),
                      .output = order.output,
                      .model_bytes = saved.model_bytes,
                      .data_files = {}};
  for (const Path& path : saved.data_files) made.data_files.push_back(path.string());
  return made;
}

}  // namespace hone
