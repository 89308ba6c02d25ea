#include "base/database.h"

#include <sqlite3.h>

#include <thread>
#include <utility>

namespace hone {
namespace {

// A row is small; whoever wrote a large one was not us.
constexpr int longest_text = 1 << 24;

}  // namespace

Statement& Statement::bind(std::string_view text) {
  sqlite3_bind_text(statement_.get(), ++bound_, text.data(), static_cast<int>(text.size()),
                    SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::bind(std::int64_t number) {
  sqlite3_bind_int64(statement_.get(), ++bound_, number);
  return *this;
}

Result<bool> Statement::next() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return database_->failure();
}

Status Statement::run() {
  HONE_TRY_DO(next());
  sqlite3_reset(statement_.get());
  bound_ = 0;
  return done();
}

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes != nullptr ? std::string(bytes, static_cast<std::size_t>(size)) : std::string();
}

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Result<std::unique_ptr<Database>> Database::open(const std::string& file,
                                                 const DatabaseKind& kind) {
  sqlite3* opened = nullptr;
  const int code =
      sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  std::unique_ptr<Database> database(new Database(opened, file, kind));
  if (opened == nullptr) {
    return fail(Fault::io, "cannot open " + std::string(kind.name) + " '" + file + "'");
  }
  if (code != SQLITE_OK) return database->failure();
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, longest_text);
  sqlite3_busy_timeout(opened, static_cast<int>(kind.patience.count()));
  if (kind.is_exclusive) HONE_TRY_DO(database->execute("PRAGMA locking_mode = EXCLUSIVE"));
  HONE_TRY_DO(database->prepare_tables());
  HONE_TRY_DO(database->write_ahead());
  database->is_open_ = true;
  return database;
}

Status Database::prepare_tables() const {
  HONE_TRY(Transaction transaction, Transaction::begin(*this));
  HONE_TRY(const std::string tables, ask("SELECT count(*) FROM sqlite_schema"));
  if (tables == "0") {
    HONE_TRY_DO(execute(std::string(kind_.schema) +
                        "; PRAGMA application_id = " + std::to_string(kind_.application_id) +
                        "; PRAGMA user_version = " + std::to_string(kind_.version)));
  } else {
    HONE_TRY_DO(check_is_ours());
  }
  return transaction.commit();
}

// Everything is read before anything is written, so that a file of someone else stays as it is.
Status Database::check_is_ours() const {
  HONE_TRY(const std::string application, ask("PRAGMA application_id"));
  if (application != std::to_string(kind_.application_id)) {
    return fail(Fault::bad_input, "'" + file_ + "' is not " + std::string(kind_.is_one),
                "it is a database of another program", "it was left as it is: name another file");
  }
  HONE_TRY(const std::string version, ask("PRAGMA user_version"));
  if (version != std::to_string(kind_.version)) {
    return fail(Fault::bad_input, "cannot use " + std::string(kind_.name) + " '" + file_ + "'",
                "it has version " + version + ", and this program reads version " +
                    std::to_string(kind_.version),
                std::string(kind_.renew_hint));
  }
  return kind_.is_exclusive ? check_health() : done();
}

Status Database::check_health() const {
  HONE_TRY(const std::string health, ask("PRAGMA quick_check(1)"));
  if (health == "ok") return done();
  return fail(Fault::bad_input, std::string(kind_.name) + " '" + file_ + "' is damaged", health,
              std::string(kind_.renew_hint));
}

// NORMAL loses no transaction when the process dies, and may lose the last ones, but no more, when
// the power does. FULL would wait for the disk after each step, in the middle of measuring.
Status Database::write_ahead() const {
  // The change to a write-ahead log does not wait for other processes, however patient we are.
  const auto end = std::chrono::steady_clock::now() + kind_.patience;
  while (true) {
    Status changed = execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    const bool is_busy = (sqlite3_errcode(database_.get()) & 0xff) == SQLITE_BUSY;
    if (changed || !is_busy || std::chrono::steady_clock::now() >= end) return changed;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

Result<Statement> Database::prepare(const char* sql) const {
  sqlite3_stmt* made = nullptr;
  if (sqlite3_prepare_v2(database_.get(), sql, -1, &made, nullptr) != SQLITE_OK) {
    return failure();
  }
  return Statement(made, *this);
}

Status Database::execute(const std::string& sql) const {
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return failure();
  }
  return done();
}

Result<std::string> Database::ask(const char* sql) const {
  HONE_TRY(Statement statement, prepare(sql));
  HONE_TRY(const bool has_row, statement.next());
  return has_row ? statement.text(0) : std::string();
}

Failure Database::failure() const {
  const int code = sqlite3_errcode(database_.get()) & 0xff;
  const std::string what =
      (is_open_ ? "cannot use " : "cannot open ") + std::string(kind_.name) + " '" + file_ + "'";
  const std::string cause = sqlite3_errmsg(database_.get());
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
    return fail(Fault::io, what, std::string(kind_.busy_cause), std::string(kind_.busy_hint));
  }
  if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) {
    return fail(Fault::bad_input, what, cause, std::string(kind_.renew_hint));
  }
  return fail(Fault::io, what, cause, "check the folder, its permissions and its free space");
}

Result<Transaction> Transaction::begin(const Database& database) {
  // At once for writing: what begins by reading cannot wait for another writer later.
  HONE_TRY_DO(database.execute("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  if (database_ != nullptr) (void)database_->execute("ROLLBACK");
}

Status Transaction::commit() {
  HONE_TRY_DO(database_->execute("COMMIT"));
  database_ = nullptr;
  return done();
}

}  // namespace hone
