#pragma once
// The journal of a sweep: what was built and published, each under the key of its cell and never
// under its place. One transaction per step: a process that is killed loses the step in flight.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/database.h"
#include "base/file.h"
#include "base/json.h"

namespace hone {

class SweepJournal {
 public:
  // Made where there is none. A file that is no journal, is damaged, is of another version or is in
  // use is refused and stays as it is.
  static Result<SweepJournal> open(const Path& file);

  Result<std::optional<Json>> find(const std::string& key, std::string_view step);
  // What is known of that step already is replaced.
  Status store(const std::string& key, std::string_view step, const Json& outcome);

  // Everything that is known so far is forgotten.
  Status clear();

  double seconds() const { return seconds_; }  // spent in here

 private:
  explicit SweepJournal(std::unique_ptr<Database> database) : database_(std::move(database)) {}
  std::unique_ptr<Database> database_;
  double seconds_ = 0;
};

}  // namespace hone
