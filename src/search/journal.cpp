#include "search/journal.h"

#include <sqlite3.h>

#include "record/fields.h"

namespace hone {
namespace {

constexpr std::int64_t application_id = 0x686f6e65;  // "hone"
constexpr std::int64_t schema_version = 1;
constexpr const char* in_memory_name = ":memory:";

constexpr const char* schema = R"(
  CREATE TABLE steps (
    model TEXT NOT NULL, environment TEXT NOT NULL, subject TEXT NOT NULL, step TEXT NOT NULL,
    outcome TEXT NOT NULL,
    PRIMARY KEY (model, environment, subject, step)) WITHOUT ROWID;
  CREATE TABLE rounds (
    model TEXT NOT NULL, environment TEXT NOT NULL, session TEXT NOT NULL, number INTEGER NOT NULL,
    blocks TEXT NOT NULL,
    PRIMARY KEY (model, environment, session, number)) WITHOUT ROWID;
)";

// A row is small; whoever wrote a large one was not us.
constexpr int longest_text = 1 << 24;

class Statement {
 public:
  static Result<Statement> prepare(sqlite3* database, const std::string& journal, const char* sql) {
    sqlite3_stmt* made = nullptr;
    if (sqlite3_prepare_v2(database, sql, -1, &made, nullptr) != SQLITE_OK)
      return cannot(database, journal, "read");
    return Statement(made, database, journal);
  }

  Statement& bind(std::string_view text) {
    sqlite3_bind_text(statement_.get(), ++bound_, text.data(), static_cast<int>(text.size()),
                      SQLITE_TRANSIENT);
    return *this;
  }
  Statement& bind(std::int64_t number) {
    sqlite3_bind_int64(statement_.get(), ++bound_, number);
    return *this;
  }

  // Whether there is another row.
  Result<bool> next() {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return cannot(database_, *journal_, "go on with");
  }
  std::string text(int column) const {
    const auto* bytes =
        reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
    const int size = sqlite3_column_bytes(statement_.get(), column);
    return bytes != nullptr ? std::string(bytes, static_cast<std::size_t>(size)) : std::string();
  }
  std::int64_t number(int column) const { return sqlite3_column_int64(statement_.get(), column); }

  static Failure cannot(sqlite3* database, const std::string& journal, const char* verb) {
    const int code = sqlite3_errcode(database) & 0xff;
    const std::string what = std::string("cannot ") + verb + " the journal '" + journal + "'";
    const std::string cause = sqlite3_errmsg(database);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
      return fail(Fault::io, what, "another search is using it", "wait for it, or stop it");
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
      return fail(Fault::bad_input, what, cause,
                  "it was left as it is: move it away to begin a new one");
    return fail(Fault::io, what, cause, "check the folder, its permissions and its free space");
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Statement(sqlite3_stmt* statement, sqlite3* database, const std::string& journal)
      : statement_(statement), database_(database), journal_(&journal) {}

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  sqlite3* database_;
  const std::string* journal_;
  int bound_ = 0;
};

Status execute(sqlite3* database, const std::string& journal, const std::string& sql) {
  if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return Statement::cannot(database, journal, "open");
  return done();
}

Result<std::string> ask(sqlite3* database, const std::string& journal, const char* pragma) {
  HONE_TRY(Statement statement, Statement::prepare(database, journal, pragma));
  HONE_TRY(const bool has_row, statement.next());
  return has_row ? statement.text(0) : std::string();
}

// Everything is read before anything is written, so that a file of someone else stays as it is.
Status check_is_ours(sqlite3* database, const std::string& journal) {
  HONE_TRY(const std::string application, ask(database, journal, "PRAGMA application_id"));
  if (application != std::to_string(application_id)) {
    return fail(Fault::bad_input, "'" + journal + "' is not a journal of a search",
                "it is a database of another program", "it was left as it is: name another file");
  }
  HONE_TRY(const std::string version, ask(database, journal, "PRAGMA user_version"));
  if (version != std::to_string(schema_version)) {
    return fail(Fault::bad_input, "cannot use the journal '" + journal + "'",
                "it has version " + version + ", and this program reads version " +
                    std::to_string(schema_version),
                "it was left as it is: move it away to begin a new one");
  }
  HONE_TRY(const std::string health, ask(database, journal, "PRAGMA quick_check(1)"));
  if (health != "ok") {
    return fail(Fault::bad_input, "the journal '" + journal + "' is damaged", health,
                "it was left as it is: move it away to begin a new one");
  }
  return done();
}

Result<Json> parse_entry(const std::string& text, const std::string& journal) {
  auto parsed = Json::parse(text);
  if (parsed) return parsed;
  return fail(Fault::bad_input, "the journal '" + journal + "' holds an entry that is not JSON",
              parsed.error().what, "move it away to begin a new one");
}

}  // namespace

void SearchJournal::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Result<SearchJournal> SearchJournal::open(const Path& file) { return open_named(file.string()); }

Result<SearchJournal> SearchJournal::in_memory() { return open_named(in_memory_name); }

Result<SearchJournal> SearchJournal::open_named(const std::string& name) {
  sqlite3* opened = nullptr;
  const int code =
      sqlite3_open_v2(name.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Database database(opened);
  if (opened == nullptr) return fail(Fault::io, "cannot open the journal '" + name + "'");
  if (code != SQLITE_OK) return Statement::cannot(opened, name, "open");
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, longest_text);
  // One search at a time: two would measure each other.
  HONE_TRY_DO(execute(opened, name, "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE"));
  HONE_TRY(const std::string tables, ask(opened, name, "SELECT count(*) FROM sqlite_schema"));
  if (tables == "0") {
    HONE_TRY_DO(execute(opened, name,
                        schema + ("PRAGMA application_id = " + std::to_string(application_id)) +
                            "; PRAGMA user_version = " + std::to_string(schema_version)));
  } else {
    HONE_TRY_DO(check_is_ours(opened, name));
  }
  HONE_TRY_DO(execute(opened, name, "COMMIT"));
  // NORMAL loses no transaction when the process dies, and may lose the last ones, but no more,
  // when the power does. FULL would wait for the disk after each round, in the middle of measuring.
  HONE_TRY_DO(execute(opened, name, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"));
  return SearchJournal(std::move(database), name);
}

Result<std::optional<Json>> SearchJournal::find_step(const JournalKey& key, std::string_view step) {
  HONE_TRY(Statement statement,
           Statement::prepare(database_.get(), name_,
                              "SELECT outcome FROM steps WHERE model = ? AND environment = ? AND "
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
           Statement::prepare(database_.get(), name_,
                              "INSERT OR REPLACE INTO steps VALUES (?, ?, ?, ?, ?)"));
  statement.bind(key.model_sha256).bind(key.environment).bind(key.subject).bind(step);
  statement.bind(outcome.dump(-1));
  HONE_TRY_DO(statement.next());
  return done();
}

Result<std::vector<std::vector<ArmBlock>>> SearchJournal::find_rounds(const JournalKey& session) {
  HONE_TRY(Statement statement,
           Statement::prepare(database_.get(), name_,
                              "SELECT number, blocks FROM rounds WHERE model = ? AND "
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
  HONE_TRY(Statement statement,
           Statement::prepare(database_.get(), name_, "INSERT INTO rounds VALUES (?, ?, ?, ?, ?)"));
  statement.bind(session.model_sha256).bind(session.environment).bind(session.subject);
  statement.bind(static_cast<std::int64_t>(number)).bind(to_json(round).dump(-1));
  HONE_TRY_DO(statement.next());
  return done();
}

Result<std::vector<std::string>> SearchJournal::environments_of(const std::string& model_sha256) {
  HONE_TRY(Statement statement,
           Statement::prepare(database_.get(), name_,
                              "SELECT DISTINCT environment FROM steps WHERE model = ? ORDER BY 1"));
  statement.bind(model_sha256);
  std::vector<std::string> environments;
  while (true) {
    HONE_TRY(const bool has_row, statement.next());
    if (!has_row) return environments;
    environments.push_back(statement.text(0));
  }
}

}  // namespace hone
