#include "search/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Journal : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = Path(testing::TempDir()) / (std::string("hone_journal_") + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  Path file() const { return folder_ / "journal.sqlite"; }

  void write(const std::string& bytes) const { std::ofstream(file(), std::ios::binary) << bytes; }
  // Refused, and not a byte of it changed.
  Error refusal() const {
    const std::string before = *read_file(file());
    const auto opened = SearchJournal::open(file());
    EXPECT_FALSE(opened);
    EXPECT_EQ(*read_file(file()), before);
    return opened ? Error() : opened.error();
  }

 private:
  Path folder_;
};

const JournalKey key = {.model_sha256 = "m", .environment = "here", .subject = "recipe"};

TEST_F(Journal, KeepsStepsByWhatTheyAreOf) {
  {
    auto journal = SearchJournal::open(file());
    ASSERT_TRUE(journal) << journal.error().what;
    ASSERT_TRUE(journal->store_step(key, "build", Json::object().set("nodes", 3)));
  }
  auto journal = SearchJournal::open(file());
  ASSERT_TRUE(journal) << journal.error().what;
  EXPECT_EQ((*journal->find_step(key, "build"))->dump(-1), R"({"nodes":3})");
  EXPECT_FALSE(*journal->find_step(key, "numerics"));
  EXPECT_FALSE(*journal->find_step({"m", "elsewhere", "recipe"}, "build"));
  EXPECT_FALSE(*journal->find_step({"another", "here", "recipe"}, "build"));
  EXPECT_THAT(*journal->environments_of("m"), ElementsAre("here"));
  EXPECT_THAT(*journal->environments_of("another"), IsEmpty());
}

TEST_F(Journal, KeepsEveryDigitOfARound) {
  auto journal = SearchJournal::in_memory();
  ASSERT_TRUE(journal);
  const double log_ns = 13.123456789012345;
  ASSERT_TRUE(journal->store_round(key, 0, {{.arm = 1, .log_ns = log_ns, .iterations = 7}}));
  ASSERT_TRUE(journal->store_round(key, 1, {{.arm = 0, .log_ns = 1}}));
  const auto rounds = journal->find_rounds(key);
  ASSERT_TRUE(rounds);
  ASSERT_EQ(rounds->size(), 2u);
  EXPECT_EQ((*rounds)[0][0].log_ns, log_ns);
  EXPECT_EQ((*rounds)[0][0].iterations, 7u);
  EXPECT_THAT(*journal->find_rounds({"m", "elsewhere", "recipe"}), IsEmpty());
}

TEST_F(Journal, LosesNothingThatWasStoredWhenItsProcessIsKilled) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto journal = SearchJournal::open(file());
    for (std::size_t i = 0; journal && i < 3; ++i) (void)journal->store_round(key, i, {});
    (void)raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  auto journal = SearchJournal::open(file());
  ASSERT_TRUE(journal) << journal.error().what;
  EXPECT_EQ(journal->find_rounds(key)->size(), 3u);
}

TEST_F(Journal, RefusesToStoreARoundTwice) {
  auto journal = SearchJournal::in_memory();
  ASSERT_TRUE(journal->store_round(key, 0, {}));
  EXPECT_FALSE(journal->store_round(key, 0, {}));
}

TEST_F(Journal, RefusesAFileThatIsNoDatabase) {
  write("this is a letter to a friend, and it is long enough to look like a header of something");
  const Error error = refusal();
  EXPECT_EQ(error.fault, Fault::bad_input);
  EXPECT_THAT(error.what, HasSubstr("cannot open the journal '"));
  EXPECT_THAT(error.hint, HasSubstr("it was left as it is"));
}

TEST_F(Journal, RefusesADamagedOne) {
  {
    auto journal = SearchJournal::open(file());
    ASSERT_TRUE(journal);
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(journal->store_step({"m", "here", std::to_string(i)}, "build",
                                      Json(std::string(400, 'x'))));
    }
  }
  std::string bytes = *read_file(file());
  ASSERT_GT(bytes.size(), 20'000u);
  for (std::size_t i = 8192; i < bytes.size(); i += 97) bytes[i] = static_cast<char>(~bytes[i]);
  write(bytes);
  EXPECT_EQ(refusal().fault, Fault::bad_input);
  write(bytes.substr(0, 5000));
  EXPECT_EQ(refusal().fault, Fault::bad_input);
}

TEST_F(Journal, RefusesAnotherVersionAndAnotherProgramsDatabase) {
  { ASSERT_TRUE(SearchJournal::open(file())); }
  std::string bytes = *read_file(file());
  constexpr std::size_t user_version = 60;    // where SQLite's format has it, big endian
  constexpr std::size_t application_id = 68;  // likewise
  bytes[user_version + 3] = 7;
  write(bytes);
  EXPECT_EQ(refusal().cause, "it has version 7, and this program reads version 1");
  bytes[application_id] = 0;
  write(bytes);
  EXPECT_THAT(refusal().what, HasSubstr("is not a journal of a search"));
}

TEST_F(Journal, IsOneSearchsAtATime) {
  auto journal = SearchJournal::open(file());
  ASSERT_TRUE(journal);
  const auto second = SearchJournal::open(file());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().cause, "another search is using it");
}

TEST_F(Journal, SaysWhichFileItCannotOpen) {
  const auto opened = SearchJournal::open("/no/such/folder/journal.sqlite");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().what, "cannot open the journal '/no/such/folder/journal.sqlite'");
  EXPECT_EQ(opened.error().fault, Fault::io);
}

TEST_F(Journal, KnowsWhetherAnythingWasDoneAndForgetsIt) {
  auto journal = SearchJournal::open(file());
  ASSERT_TRUE(journal) << journal.error().what;
  EXPECT_TRUE(*journal->is_empty());
  ASSERT_TRUE(journal->store_round(key, 0, {{.arm = 0, .log_ns = 1}}));
  EXPECT_FALSE(*journal->is_empty());
  ASSERT_TRUE(journal->store_step(key, "build", Json::object()));
  ASSERT_TRUE(journal->clear());
  EXPECT_TRUE(*journal->is_empty());
  EXPECT_FALSE(*journal->find_step(key, "build"));
  EXPECT_THAT(*journal->find_rounds(key), IsEmpty());
}

}  // namespace
}  // namespace hone
