#include "catalog/sweep_journal.h"

#include <chrono>

namespace hone {
namespace {

constexpr DatabaseKind kind = {
    .name = "the journal",
    .is_one = "a journal of a sweep",
    .schema =
        "CREATE TABLE steps (cell TEXT NOT NULL, step TEXT NOT NULL, outcome TEXT NOT NULL,"
        " PRIMARY KEY (cell, step)) WITHOUT ROWID;",
    .application_id = 0x686f7377,  // "hosw"
    .version = 1,
    .is_exclusive = true,
    .patience = std::chrono::milliseconds(2000),
    .busy_cause = "another sweep uses it",
    .busy_hint = "wait for that sweep, or choose another folder",
    .renew_hint = "choose another folder, or --overwrite to begin anew",
};

class Timer {
 public:
  explicit Timer(double& into) : into_(into) {}
  ~Timer() {
    into_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  }

 private:
  double& into_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<SweepJournal> SweepJournal::open(const Path& file) {
  HONE_TRY(auto database, Database::open(file.string(), kind));
  return SweepJournal(std::move(database));
}

Result<std::optional<Json>> SweepJournal::find(const std::string& key, std::string_view step) {
  const Timer timer(seconds_);
  HONE_TRY(Statement statement,
           database_->prepare("SELECT outcome FROM steps WHERE cell = ? AND step = ?"));
  statement.bind(key).bind(step);
  HONE_TRY(const bool has_row, statement.next());
  if (!has_row) return std::optional<Json>();
  HONE_TRY(Json outcome, Json::parse(statement.text(0)));
  return std::optional(std::move(outcome));
}

Status SweepJournal::store(const std::string& key, std::string_view step, const Json& outcome) {
  const Timer timer(seconds_);
  HONE_TRY(Statement statement,
           database_->prepare("INSERT OR REPLACE INTO steps VALUES (?, ?, ?)"));
  const std::string text = outcome.dump(-1);
  return statement.bind(key).bind(step).bind(text).run();
}

Status SweepJournal::clear() {
  HONE_TRY(Statement statement, database_->prepare("DELETE FROM steps"));
  return statement.run();
}

}  // namespace hone
