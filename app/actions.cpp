#include "app/actions.h"

#include <algorithm>

#include "base/misuse.h"
#include "base/text.h"

namespace hone::app {

Result<std::size_t> find_action(std::string_view command, std::span<const ActionFacts> actions,
                                const std::string& name, std::span<const std::string> words) {
  const std::string said = "hone " + std::string(command);
  const std::string help = "hone help " + split(command, ' ').front();
  std::vector<std::string> names;
  for (const ActionFacts& action : actions) names.emplace_back(action.name);
  if (name.empty()) return misuse(said + " needs one of " + join(names, ", "), help);
  const auto found = std::ranges::find(actions, name, &ActionFacts::name);
  if (found == actions.end())
    return misuse(said + " has no '" + name + "'" + did_you_mean(name, names), help);
  if (words.size() < found->least)
    return misuse(said + " " + name + " needs " + std::string(found->takes), help);
  if (words.size() > found->most)
    return misuse("unexpected argument '" + words[found->most] + "'", help);
  return static_cast<std::size_t>(found - actions.begin());
}

}  // namespace hone::app
