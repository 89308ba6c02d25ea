#include "report/search/replay_text.h"

#include "base/text.h"
#include "report/trace/text.h"

namespace hone {

std::string describe_replay(const ReplayReport& report) {
  std::vector<text_form::Row> rows = {{"space", "arms", "best", "of the best", "at worst",
                                       "of the work", "false keeps", "on null spaces"}};
  for (const ReplayedSpace& space : report.spaces) {
    rows.push_back(
        {printable(space.model) + " on " + printable(space.target), format_count(space.arms),
         text_form::fixed(space.best_ratio, 3), text_form::share(1 / space.mean_regret),
         text_form::share(1 / space.worst_regret), text_form::share(space.mean_evaluations_share),
         format_count(space.false_keeps) + " of " + format_count(space.searches),
         format_count(space.null_keeps) + " of " + format_count(space.null_searches)});
  }
  constexpr std::size_t widest = 60;
  return text_form::columns(rows, widest, "");
}

}  // namespace hone
