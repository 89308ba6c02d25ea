#pragma once
// What was exported, opened and run by ONNX Runtime in a worker: what crashes there is an error.

#include "flow/watch.h"
#include "inspect/parts/check_parts.h"
#include "record/where.h"

namespace hone {

struct ExportCheckOrder {
  static constexpr std::string_view job = "export_check";
  using Answer = ExportChecked;

  std::vector<PartFile> parts;
  std::string reference;  // empty: there is none
  double most_share = 0;
  bool may_lack_kernels = false;
  std::uint64_t seed = 0;
  Host host;
};
template <RecordOf<ExportCheckOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("parts", order.parts, Presence::required);
  field("reference", order.reference);
  field("most_share", order.most_share);
  field("may_lack_kernels", order.may_lack_kernels);
  field("seed", order.seed);
  field("host", order.host);
}

// In the worker.
Result<ExportChecked> check_export(const ExportCheckOrder& order, const Watch& watch);

// From here. Fails (not_held) where an output is further from the reference than it may be, and
// that is not allowed.
Result<ExportChecked> check_export_apart(const ExportCheckOrder& order, bool allows_difference,
                                         const Watch& watch);

}  // namespace hone
