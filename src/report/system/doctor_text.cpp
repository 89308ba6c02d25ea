#include "report/system/doctor_text.h"

#include <algorithm>
#include <vector>

#include "base/counted.h"
#include "base/text.h"
#include "report/system/reason.h"
#include "report/trace/text.h"

namespace hone {
namespace {

std::size_t warnings_in(const Diagnosis& diagnosis) {
  return static_cast<std::size_t>(
      std::ranges::count(diagnosis.checks, CheckState::warn, &Check::state));
}

std::string conclude(const Diagnosis& diagnosis) {
  if (diagnosis.ep) {
    const bool is_usable = diagnosis.status == EpState::primary;
    if (!is_usable) return printable(*diagnosis.ep) + " cannot be used here.\n";
    std::string text = printable(*diagnosis.ep) + " can be used here.\n";
    for (const std::string& hazard : diagnosis.hazards) text += "known of it: " + hazard + "\n";
    return text;
  }
  const std::size_t warnings = warnings_in(diagnosis);
  if (warnings == 0) return "Nothing was found that spoils measurements.\n";
  return counted(warnings, "thing") + " to look at.\n";
}

}  // namespace

std::string describe_diagnosis(const Diagnosis& diagnosis) {
  std::vector<text_form::Row> rows;
  for (const Check& check : diagnosis.checks) {
    rows.push_back({std::string(name_of(check.state)), check.what, text_form::essence(check.why)});
    if (!check.hint.empty()) rows.push_back({"", "", "try: " + check.hint});
  }
  return text_form::columns(rows, 20, "12") + "\n" + conclude(diagnosis);
}

}  // namespace hone
