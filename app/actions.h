#pragma once
// Commands that are several: `hone kb show ID`. The actions of one are a table, and what is wrong
// with the words behind it is said here, in the same way for all.

#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/command.h"

namespace hone::app {

inline constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

struct ActionFacts {
  std::string_view name;
  std::string_view takes{};  // what it cannot do without, a word each: "TRACE and AFTER"
  std::size_t least = 0;     // words of that
  std::size_t most = 0;
};

// Arguments are whatever the command has read of its options.
template <class Arguments>
struct Action {
  ActionFacts facts;
  Result<ExitCode> (*run)(const Arguments& arguments, const Call& call);
};

// Where in the table the action of that name stands; `command` is "kb" or "kb models". Refused: a
// name that is not there, too few words, one too many.
Result<std::size_t> find_action(std::string_view command, std::span<const ActionFacts> actions,
                                const std::string& name, std::span<const std::string> words);

template <class Arguments, std::size_t count>
Result<const Action<Arguments>*> find_action(std::string_view command,
                                             const std::array<Action<Arguments>, count>& actions,
                                             const std::string& name,
                                             std::span<const std::string> words) {
  std::vector<ActionFacts> facts;
  for (const Action<Arguments>& action : actions) facts.push_back(action.facts);
  HONE_TRY(const std::size_t index, find_action(command, facts, name, words));
  return &actions[index];
}

}  // namespace hone::app
