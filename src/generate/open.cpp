#include "generate/open.h"

#include "runtime/prepared.h"

namespace hone {

Result<OpenNetwork> open_network(const std::vector<PartPlan>& parts, bool picks_rows) {
  OpenNetwork made;
  HONE_TRY(made.runtime, start_runtime(parts.front().plan));
  std::vector<OpenPart> opened;
  for (const PartPlan& part : parts) {
    HONE_TRY(Session session, Session::open(made.runtime, part.plan.model, settings_of(part.plan)));
    made.placements.push_back(session.placement());
    opened.push_back({part.part, std::move(session)});
  }
  HONE_TRY(made.network, Network::open(made.runtime, std::move(opened), picks_rows));
  return made;
}

}  // namespace hone
