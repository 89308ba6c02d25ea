#include "report/publish/verify_text.h"

#include <algorithm>

#include "base/counted.h"
#include "base/text.h"
#include "report/table.h"

namespace hone {
namespace {

using text_form::Rows;
using text_form::table;

std::string describe_end(const VerifyReport& report, bool is_strict) {
  const auto wrong = std::ranges::count_if(
      report.checks, [&](const VerifyCheck& check) { return is_wrong(check, is_strict); });
  const auto blocked =
      std::ranges::count(report.checks, CheckVerdict::blocked, &VerifyCheck::verdict);
  if (wrong > 0) return counted(static_cast<std::uint64_t>(wrong), "check") + " did not hold\n";
  if (blocked > 0)
    return "holds, as far as this machine can tell: " +
           counted(static_cast<std::uint64_t>(blocked), "check") + " blocked\n";
  return "holds\n";
}

}  // namespace

std::string describe_verification(const VerifyReport& report, bool is_strict) {
  Rows rows;
  for (const VerifyCheck& check : report.checks)
    rows.push_back({check.name, std::string(name_of(check.verdict)), check.measured});
  return printable(report.reference) + "\n" + table(rows) + describe_end(report, is_strict);
}

}  // namespace hone
