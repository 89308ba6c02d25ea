#pragma once
// The journal of searches: what was built, checked and measured, each thing under the hash of what
// it is of and never under its place in a queue. One transaction per step: a process that is killed
// loses the step in flight and no other.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/database.h"
#include "base/file.h"
#include "base/json.h"
#include "base/result.h"
#include "record/comparison.h"

namespace hone {

// What an entry is of. Entries of another environment are kept and not used.
struct JournalKey {
  std::string model_sha256;
  std::string environment;
  std::string subject;  // the hash of a recipe, of a session, ...
};

class SearchJournal {
 public:
  // Made where there is none. A file that is no journal, is damaged, is of another version or is
  // in use is refused and stays as it is.
  static Result<SearchJournal> open(const Path& file);
  // Of this process alone, gone with it.
  static Result<SearchJournal> in_memory();

  // A step ("build", "numerics", ...) that is done, as its outcome's JSON.
  Result<std::optional<Json>> find_step(const JournalKey& key, std::string_view step);
  Status store_step(const JournalKey& key, std::string_view step, const Json& outcome);

  // The complete rounds of a session, in their order.
  Result<std::vector<std::vector<ArmBlock>>> find_rounds(const JournalKey& session);
  Status store_round(const JournalKey& session, std::size_t number,
                     const std::vector<ArmBlock>& round);

  // Whether nothing was ever done.
  Result<bool> is_empty();
  // Forgets everything.
  Status clear();

  // The environments in which there are entries for the model, sorted.
  Result<std::vector<std::string>> environments_of(const std::string& model_sha256);

 private:
  SearchJournal(std::unique_ptr<Database> database, std::string name)
      : database_(std::move(database)), name_(std::move(name)) {}
  static Result<SearchJournal> open_named(const std::string& name);

  std::unique_ptr<Database> database_;
  std::string name_;
};

}  // namespace hone
