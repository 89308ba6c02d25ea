#include "flow/hydrate.h"

#include "flow/given_model.h"
#include "flow/job.h"
#include "model/weights/hydrate.h"
#include "model/weights/stats.h"

namespace hone {

Result<HydratedModel> hydrate_model(const HydrateOrder& order, const Watch& watch) {
  HONE_TRY(const Path file, find_model_file(order.model, order.host));
  HONE_TRY(const Model model, load_model(file));
  Path statistics = order.statistics;
  if (statistics.empty()) {
    HONE_TRY(statistics, find_stats(file));
  }
  HONE_TRY(const WeightStats stats, load_stats(statistics));
  HydrateOptions options;
  options.seed = order.seed;
  options.threads = static_cast<int>(order.threads);
  options.overwrite = order.overwrite;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    watch.step("filling weights", done, total);
  };
  HONE_TRY(const HydrateReport report, hydrate(model, stats, order.output, options));
  HydratedModel made{.tensors = report.tensors,
                     .bytes = report.bytes,
                     .seed = order.seed,
                     .output = order.output,
                     .data_files = {}};
  for (const Path& path : report.data_files) made.data_files.push_back(path.string());
  return made;
}

Job jobs::hydrate() { return job_of(hydrate_model); }

}  // namespace hone
