#include "search/journal.h"

#include "record/fields.h"

namespace hone {
namespace {

constexpr std::string_view schema = R"(
  CREATE TABLE steps (
    model TEXT NOT NULL, environment TEXT NOT NULL, subject TEXT NOT NULL, step TEXT NOT NULL,
    outcome TEXT NOT NULL,
    PRIMARY KEY (model, environment, subject, step)) WITHOUT ROWID;
  CREATE TABLE rounds (
    model TEXT NOT NULL, environment TEXT NOT NULL, session TEXT NOT NULL, number INTEGER NOT NULL,
    blocks TEXT NOT NULL,
    PRIMARY KEY (model, environment, session, number)) WITHOUT ROWID;
)";

constexpr DatabaseKind journal_kind = {
    .name = "the journal",
    .is_one = "a journal of a search",
    .schema = schema,
    .application_id = 0x686f6e65,  // "hone"
    .version = 1,
    .is_exclusive = true,  // one search at a time: two would measure each other
    .busy_cause = "another search is using it",
    .busy_hint = "wait for it, or stop it",
    .renew_hint = "it was left as it is: move it away to begin a new one",
};

Result<Json> parse_entry(const std::string& text, const std::string& journal) {
  auto parsed = Json::parse(text);
  if (parsed) return parsed;
  return fail(Fault::bad_input, "the journal '" + journal + "' holds an entry that is not JSON",
              parsed.error().what, "move it away to begin a new one");
}

}  // namespace

Result<SearchJournal> SearchJournal::open(const Path& file) { return open_named(file.string()); }

Result<SearchJournal> SearchJournal::in_memory() { return open_named(":memory:"); }

Result<SearchJournal> SearchJournal::open_named(const std::string& name) {
  HONE_TRY(auto database, Database::open(name, journal_kind));
  return SearchJournal(std::move(database), name);
}

Result<std::optional<Json>> SearchJournal::find_step(const JournalKey& key, std::string_view step) {
  HONE_TRY(Statement statement,
           database_->prepare("SELECT outcome FROM steps WHERE model = ? AND environment = ? AND "
                              "subject = ? AND step = ?"));
  statement.bind(key.model_sha256).bind(key.environment).bind(key.subject).bind(step);
  HONE_TRY(const bool has_row, statement.next());
  if (!has_row) return std::optional<Json>();
  HONE_TRY(Json outcome, parse_entry(statement.text(0), name_));
  return std::optional<Json>(std::move(outcome));
}

Status SearchJournal::store_step(const JournalKey& key, std::string_view step,
                                 const Json& outcome) {
  HONE_TRY(Statement statement,
           database_->prepare("INSERT OR REPLACE INTO steps VALUES (?, ?, ?, ?, ?)"));
  statement.bind(key.model_sha256).bind(key.environment).bind(key.subject).bind(step);
  statement.bind(outcome.dump(-1));
  return statement.run();
}

Result<std::vector<std::vector<ArmBlock>>> SearchJournal::find_rounds(const JournalKey& session) {
  HONE_TRY(Statement statement,
           database_->prepare("SELECT number, blocks FROM rounds WHERE model = ? AND "
                              "environment = ? AND session = ? ORDER BY number"));
  statement.bind(session.model_sha256).bind(session.environment).bind(session.subject);
  std::vector<std::vector<ArmBlock>> rounds;
  while (true) {
    HONE_TRY(const bool has_row, statement.next());
    if (!has_row) return rounds;
    HONE_TRY(const Json blocks, parse_entry(statement.text(1), name_));
    auto round = from_json<std::vector<ArmBlock>>(blocks);
    if (!round || statement.number(0) != static_cast<std::int64_t>(rounds.size())) {
      return fail(Fault::bad_input, "the journal '" + name_ + "' holds a round that is none",
                  round ? "a round before it is missing" : round.error().what,
                  "move it away to begin a new one");
    }
    rounds.push_back(std::move(*round));
  }
}

Status SearchJournal::store_round(const JournalKey& session, std::size_t number,
                                  const std::vector<ArmBlock>& round) {
  HONE_TRY(Statement statement, database_->prepare("INSERT INTO rounds VALUES (?, ?, ?, ?, ?)"));
  statement.bind(session.model_sha256).bind(session.environment).bind(session.subject);
  statement.bind(static_cast<std::int64_t>(number)).bind(to_json(round).dump(-1));
  return statement.run();
}

Result<bool> SearchJournal::is_empty() {
  HONE_TRY(const std::string found, database_->ask("SELECT EXISTS (SELECT 1 FROM steps) OR "
                                                   "EXISTS (SELECT 1 FROM rounds)"));
  return found == "0";
}

Status SearchJournal::clear() {
  HONE_TRY(Transaction transaction, Transaction::begin(*database_));
  HONE_TRY_DO(database_->execute("DELETE FROM steps; DELETE FROM rounds"));
  return transaction.commit();
}

Result<std::vector<std::string>> SearchJournal::environments_of(const std::string& model_sha256) {
  HONE_TRY(Statement statement,
           database_->prepare("SELECT DISTINCT environment FROM steps WHERE model = ? ORDER BY 1"));
  statement.bind(model_sha256);
  std::vector<std::string> environments;
  while (true) {
    HONE_TRY(const bool has_row, statement.next());
    if (!has_row) return environments;
    environments.push_back(statement.text(0));
  }
}

}  // namespace hone
