#include "base/conversation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Conversation talk_to(const std::string& script) {
  return *Conversation::start({"sh", "-c", script});
}

TEST(Conversation, AnswersLineByLine) {
  Conversation cat = talk_to("while read -r line; do echo \"got $line\"; done");
  cat.say("one");
  EXPECT_EQ(*cat.hear(10s), "got one");
  cat.say("two");
  EXPECT_EQ(*cat.hear(10s), "got two");
  EXPECT_TRUE(cat.finish(10s).ok());
}

TEST(Conversation, ACrashIsAValueWithTheSignalsNameAndTheLastWords) {
  Conversation child = talk_to("read -r line; echo 'about to fall' >&2; kill -SEGV $$");
  child.say("go");
  const auto answer = child.hear(10s);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, Fault::runtime);
  EXPECT_THAT(answer.error().what, HasSubstr("killed by SIG"));
  EXPECT_EQ(answer.error().cause, "about to fall\n");
}

TEST(Conversation, AChildThatLeavesWithoutAWordIsACrashAndOneThatSomebodyEndsIsNone) {
  const auto left = talk_to("exit 3").hear(10s);
  ASSERT_FALSE(left);
  EXPECT_EQ(left.error().trouble, Trouble::crashed);
  const auto ended = talk_to("kill -TERM $$").hear(10s);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().trouble, Trouble::other);
  EXPECT_EQ(ended.error().fault, Fault::io);
}

TEST(Conversation, AHangEndsWhenPatienceDoes) {
  Conversation child = talk_to("sleep 1000 & sleep 1000");
  const auto answer = child.hear(50ms);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, Fault::timeout);
}

TEST(Conversation, IsOverAtOnceWhenItIsToStop) {
  Conversation child = talk_to("sleep 1000 & sleep 1000");
  const std::atomic<bool> stop{true};
  const auto answer = child.hear(1h, &stop);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "the worker was stopped");
}

TEST(Conversation, SpeakingToAChildThatIsGoneIsNoSignal) {
  Conversation child = talk_to("exit 3");
  EXPECT_FALSE(child.hear(10s));
  for (int i = 0; i < 100; ++i) child.say(std::string(10000, 'x'));
  const auto answer = child.hear(10s);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().what, HasSubstr("exited with 3"));
}

TEST(Conversation, AProgramThatDoesNotExistIsAnError) {
  const auto child = Conversation::start({"no-such-program-anywhere"});
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().fault, Fault::not_found);
}

TEST(Conversation, LongAnswersAndMuchNoiseDoNotBlock) {
  Conversation child = talk_to(
      "head -c 300000 /dev/zero | tr '\\0' 'e' >&2; head -c 300000 /dev/zero | tr '\\0' 'a'; echo");
  const auto answer = child.hear(30s);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->size(), 300000u);
}

}  // namespace
}  // namespace hone
