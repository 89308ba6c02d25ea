#include "kinds/precision.h"

#include <algorithm>

namespace hone {

const Precision* find_precision(std::string_view word) {
  const auto is_meant = [&](const Precision& precision) {
    return precision.name == word ||
           std::ranges::find(precision.aliases, word) != precision.aliases.end();
  };
  const auto found = std::ranges::find_if(all_precisions(), is_meant);
  return found != all_precisions().end() ? &*found : nullptr;
}

const Precision* find_made_precision(std::string_view name) {
  const Precision* found = find_precision(name);
  const bool is_made = found != nullptr && found->making != Making::nothing;
  return is_made && found->name == name ? found : nullptr;
}

std::vector<std::string> precision_names() {
  std::vector<std::string> names;
  for (const Precision& precision : all_precisions()) names.emplace_back(precision.name);
  return names;
}

std::vector<std::string> made_precision_names() {
  std::vector<std::string> names;
  for (const Precision& precision : all_precisions())
    if (precision.making != Making::nothing) names.emplace_back(precision.name);
  return names;
}

}  // namespace hone
