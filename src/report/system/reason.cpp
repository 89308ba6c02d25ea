#include "report/system/reason.h"

namespace hone::text_form {

std::string essence(std::string_view reason) {
  constexpr std::string_view broken_condition = " was false. ";
  const std::size_t at = reason.find(broken_condition);
  if (at != std::string_view::npos) reason.remove_prefix(at + broken_condition.size());
  // A line end was made visible on its way here.
  for (const std::string_view end : {"\\n", "\n", " "}) {
    while (reason.ends_with(end)) reason.remove_suffix(end.size());
  }
  return std::string(reason);
}

}  // namespace hone::text_form
