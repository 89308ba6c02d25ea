#pragma once
// A SQLite file of ours: made where there is none, refused and left as it is where it is somebody
// else's, of another version or damaged. A process that is killed loses the transaction in flight
// and no other.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace hone {

// What kind of file it is, and how messages speak of it.
struct DatabaseKind {
  std::string_view name{};    // "the journal"
  std::string_view is_one{};  // "a journal of a search"
  std::string_view schema{};  // the statements that make its tables
  std::int64_t application_id = 0;
  std::int64_t version = 0;
  // Exclusive: one process at a time, which looks at all of the file when it opens it.
  bool is_exclusive = false;
  std::chrono::milliseconds patience{};  // how long it waits for another process
  std::string_view busy_cause{};
  std::string_view busy_hint{};
  std::string_view renew_hint{};  // what to do with one that cannot be used
};

class Statement {
 public:
  Statement& bind(std::string_view text);
  Statement& bind(std::int64_t number);
  // Whether there is another row.
  Result<bool> next();
  // Runs one that gives no rows; the next bind() fills in its first value again.
  Status run();
  // Of the row that next() found.
  std::string text(int column) const;
  std::int64_t number(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(sqlite3_stmt* statement, const class Database& database)
      : statement_(statement), database_(&database) {}

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  const Database* database_;
  int bound_ = 0;
};

class Database {
 public:
  // It outlives its statements, which point to it.
  static Result<std::unique_ptr<Database>> open(const std::string& file, const DatabaseKind& kind);

  Result<Statement> prepare(const char* sql) const;
  // Statements that give no rows.
  Status execute(const std::string& sql) const;
  // The first column of the first row, or empty.
  Result<std::string> ask(const char* sql) const;
  // Reads all of the file.
  Status check_health() const;

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* database) const;
  };
  Database(sqlite3* database, std::string file, const DatabaseKind& kind)
      : database_(database), file_(std::move(file)), kind_(kind) {}
  Failure failure() const;
  Status prepare_tables() const;
  Status check_is_ours() const;
  Status write_ahead() const;

  std::unique_ptr<sqlite3, Close> database_;
  std::string file_;
  DatabaseKind kind_;
  bool is_open_ = false;  // it was opened: what fails from now on is its use
};

// One step that is done as a whole or not at all; no other process writes while it lives.
class Transaction {
 public:
  static Result<Transaction> begin(const Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  // What was not committed is undone.
  ~Transaction();
  Status commit();

 private:
  explicit Transaction(const Database& database) : database_(&database) {}
  const Database* database_;
};

}  // namespace hone
