#include "base/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

namespace hone {
namespace {

using testing::HasSubstr;

constexpr DatabaseKind shared_kind = {
    .name = "the list",
    .is_one = "a list of numbers",
    .schema = "CREATE TABLE numbers (number INTEGER NOT NULL)",
    .application_id = 17,
    .version = 1,
    .patience = std::chrono::seconds(60),
    .busy_cause = "another process is using it",
    .busy_hint = "wait for it",
    .renew_hint = "move it away",
};

class SqliteFile : public testing::Test {
 protected:
  std::string file() const { return (folder_.path() / "list.db").string(); }

 private:
  TemporaryFolder folder_ = *TemporaryFolder::create("database");
};

Status add_numbers(const std::string& file, int count) {
  HONE_TRY(const auto database, Database::open(file, shared_kind));
  HONE_TRY(Statement insert, database->prepare("INSERT INTO numbers VALUES (?)"));
  for (int i = 0; i < count; ++i) HONE_TRY_DO(insert.bind(std::int64_t{i}).run());
  return done();
}

TEST_F(SqliteFile, TakesWhatManyProcessesWriteAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    children.push_back(fork());
    if (children.back() == 0) _exit(add_numbers(file(), 20) ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "a process was turned away";
  }
  const auto database = Database::open(file(), shared_kind);
  ASSERT_TRUE(database) << database.error().what;
  EXPECT_EQ(*(*database)->ask("SELECT count(*) FROM numbers"), "120");
}

TEST_F(SqliteFile, UndoesAStepThatWasNotFinished) {
  const auto database = Database::open(file(), shared_kind);
  ASSERT_TRUE(database);
  {
    auto unfinished = Transaction::begin(**database);
    ASSERT_TRUE(unfinished);
    ASSERT_TRUE((*database)->execute("INSERT INTO numbers VALUES (1)"));
  }
  EXPECT_EQ(*(*database)->ask("SELECT count(*) FROM numbers"), "0");
  auto finished = Transaction::begin(**database);
  ASSERT_TRUE((*database)->execute("INSERT INTO numbers VALUES (1)"));
  ASSERT_TRUE(finished->commit());
  EXPECT_EQ(*(*database)->ask("SELECT count(*) FROM numbers"), "1");
}

TEST_F(SqliteFile, WaitsForAnotherProcessNoLongerThanItsPatience) {
  const auto first = Database::open(file(), shared_kind);
  const auto working = Transaction::begin(**first);
  ASSERT_TRUE(working);
  DatabaseKind impatient = shared_kind;
  impatient.patience = std::chrono::milliseconds(10);
  const auto second = Database::open(file(), impatient);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().what, "cannot open the list '" + file() + "'");
  EXPECT_EQ(second.error().cause, "another process is using it");
}

TEST_F(SqliteFile, TellsOpeningFromUsing) {
  const auto database = Database::open(file(), shared_kind);
  const Status used = (*database)->execute("INSERT INTO letters VALUES (1)");
  ASSERT_FALSE(used);
  EXPECT_EQ(used.error().what, "cannot use the list '" + file() + "'");
  EXPECT_THAT(used.error().cause, HasSubstr("no such table"));
}

}  // namespace
}  // namespace hone
