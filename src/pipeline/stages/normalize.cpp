// The model in one opset, in order, without what nobody uses.

#include "model/edit.h"
#include "model/opset/convert.h"
#include "pipeline/stage.h"

namespace hone::stages {
namespace {

// What every later stage understands; older models gain nothing by staying older.
constexpr std::int64_t least_opset = 17;

Json settings(const Recipe& recipe) {
  return Json::object().set("opset", recipe.opset ? Json(*recipe.opset) : Json(nullptr));
}

Result<Json> run(const StageRequest& request) {
  HONE_TRY(Model model, load_model(request.input));
  const std::int64_t before = model.opset();
  const std::int64_t wanted = request.recipe.opset.value_or(std::max(before, least_opset));
  std::size_t changed = 0;
  Json kept = nullptr;
  if (wanted != before) {
    Result<ConversionReport> report = convert_opset(model, static_cast<int>(wanted));
    // Nobody asked for a newer one, and what runs as it is may stay so.
    if (!report && request.recipe.opset) return fail(std::move(report).error());
    if (report) {
      changed = report->changed_nodes;
    } else {
      kept = report.error().what;
    }
  }
  const std::size_t dead = remove_dead_nodes(*model.graph);
  const std::size_t unused = remove_unused_initializers(*model.graph);
  HONE_TRY_DO(sort_topologically(*model.graph));
  HONE_TRY_DO(save_model(model, request.output));
  return Json::object()
      .set("from", before)
      .set("to", model.opset())
      .set("kept_because", kept)
      .set("changed_nodes", changed)
      .set("removed_nodes", dead)
      .set("removed_initializers", unused);
}

}  // namespace

Stage normalize() {
  return {.name = "normalize",
          .skip_reason = [](const Recipe&) { return std::string(); },
          .settings = settings,
          .run = run};
}

}  // namespace hone::stages
