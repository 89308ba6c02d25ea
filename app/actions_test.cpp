#include "app/actions.h"

#include <gtest/gtest.h>

#include <array>

namespace hone::app {
namespace {

struct Arguments {};

Result<ExitCode> done_with(const Arguments&, const Call&) { return ExitCode::done; }

constexpr std::array<Action<Arguments>, 3> actions = {{
    {{.name = "list"}, done_with},
    {{.name = "diff", .takes = "TRACE and AFTER", .least = 2, .most = 2}, done_with},
    {{.name = "check", .takes = "FILE", .least = 1, .most = any_number}, done_with},
}};

std::string refusal(const std::string& name, const std::vector<std::string>& words) {
  const auto found = find_action("kb models", actions, name, words);
  if (found) return std::string((*found)->facts.name) + " is not refused";
  EXPECT_EQ(found.error().fault, Fault::bad_input);
  EXPECT_EQ(found.error().hint, "hone help kb");
  return found.error().what;
}

TEST(AnAction, IsFoundWithTheWordsItTakes) {
  EXPECT_EQ(refusal("list", {}), "list is not refused");
  EXPECT_EQ(refusal("diff", {"a", "b"}), "diff is not refused");
  EXPECT_EQ(refusal("check", {"a", "b", "c"}), "check is not refused");
}

TEST(AnAction, ThatThereIsNotIsAnsweredWithTheOneThatWasMeant) {
  EXPECT_EQ(refusal("chekc", {}), "hone kb models has no 'chekc'; did you mean 'check'?");
  EXPECT_EQ(refusal("", {}), "hone kb models needs one of list, diff, check");
}

TEST(AnAction, IsRefusedWithTooFewWordsAndWithOneTooMany) {
  EXPECT_EQ(refusal("diff", {"a"}), "hone kb models diff needs TRACE and AFTER");
  EXPECT_EQ(refusal("diff", {"a", "b", "c"}), "unexpected argument 'c'");
  EXPECT_EQ(refusal("list", {"a"}), "unexpected argument 'a'");
}

}  // namespace
}  // namespace hone::app
