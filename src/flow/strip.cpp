#include "flow/strip.h"

#include "flow/given_model.h"
#include "model/weights/stats.h"
#include "model/weights/strip.h"

namespace hone {

Result<StrippedModel> strip_model(const StripOrder& order, const Watch& watch) {
  const Path statistics = stats_path_for(order.output);
  HONE_TRY_DO(refuse_existing(statistics, order.overwrite));
  HONE_TRY(const Path file, find_model_file(order.model, order.host));
  HONE_TRY(Model model, load_model(file));
  StripOptions options;
  options.name = Path(order.output).stem().string();
  options.min_bytes = static_cast<std::uint64_t>(order.min_bytes);
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    watch.step("reading weights", done, total);
  };
  HONE_TRY(const WeightStats stats, strip_weights(model, options));
  HONE_TRY(const SaveReport saved, save_stripped(model, stats, order.output, order.overwrite));
  StrippedModel made{.tensors = stats.tensors.size(),
                     .bytes = 0,
                     .output = order.output,
                     .model_bytes = saved.model_bytes,
                     .stats = statistics.string()};
  for (const auto& [name, tensor] : stats.tensors) made.bytes += tensor.length;
  return made;
}

}  // namespace hone
