#include "flow/export/check.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/join_some.h"
#include "base/text.h"
#include "flow/job.h"
#include "runtime/runtime.h"

namespace hone {
namespace {

std::string in_short(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2g", number);
  return text.data();
}

Status judge(const ExportChecked& checked) {
  std::vector<std::string> far;
  for (const ComparedOutput& output : checked.reference) {
    if (output.share <= checked.most_share) continue;
    far.push_back(printable(output.output) + " of " + printable(output.part) + " is off by " +
                  in_short(output.share) + " of its largest value");
  }
  if (far.empty()) return done();
  constexpr std::size_t most_named = 6;
  return fail(Fault::not_held, "the export does not compute what the reference says",
              join_some(far, most_named),
              "nothing was written; --allow-difference writes it all the same (up to " +
                  in_short(checked.most_share) + " is taken for rounding)");
}

}  // namespace

Result<ExportChecked> check_export(const ExportCheckOrder& order, const Watch& watch) {
  watch.step("opening it in ONNX Runtime");
  HONE_TRY(const std::shared_ptr<Runtime> runtime, Runtime::load(order.host.ort));
  return check_parts(runtime, {.parts = order.parts,
                               .reference = order.reference,
                               .most_share = order.most_share,
                               .may_lack_kernels = order.may_lack_kernels,
                               .seed = order.seed});
}

Job jobs::export_check() { return job_of(check_export); }

Result<ExportChecked> check_export_apart(const ExportCheckOrder& order, bool allows_difference,
                                         const Watch& watch) {
  auto checked = run_apart(order, order.host.program, {}, watch);
  if (!checked) {
    Error error = std::move(checked).error();
    if (error.trouble == Trouble::absent)
      error.hint = "--no-check writes it without; " + error.hint;
    return fail(std::move(error));
  }
  if (!allows_difference) HONE_TRY_DO(judge(*checked));
  return checked;
}

}  // namespace hone
