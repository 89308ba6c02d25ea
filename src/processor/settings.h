#pragma once
// What a processor's configuration says, key by key, over what holds where it is silent. Every key
// has to be read by somebody: one that nobody knows is refused by name.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace hone {

class Settings {
 public:
  // `file` and `owner` ("CLIPImageProcessor") are for messages. REQUIRES: defaults is an object.
  Settings(Json said, Json defaults, std::string file, std::string owner);

  // Whether the owner knows the key at all.
  bool knows(std::string_view key) const { return defaults_.find(key) != nullptr; }
  // Said, and not null.
  bool says(std::string_view key) const;
  // What is said, else what holds otherwise; null where there is neither.
  const Json& at(std::string_view key);
  // Only what is said: for keys that most files do not have.
  const Json* said(std::string_view key);
  // It has been looked at and does not matter: it belongs to a step that is not done.
  void pass(std::string_view key) { read_.emplace(key); }

  // False where the owner does not know the key. A null over a default of true is refused: versions
  // of transformers differ in what it means.
  Result<bool> flag(std::string_view key);
  Result<double> number(std::string_view key, double low, double high);
  Result<std::size_t> whole(std::string_view key, std::size_t least, std::size_t most);
  // Three numbers, or one for all.
  Result<std::vector<double>> by_channel(std::string_view key);

  // "'preprocessor_config.json' says size: 12, which ...".
  Failure refuse(std::string_view key, std::string why) const;
  // Keys that nobody read and that may matter.
  Status refuse_unknown() const;

  const std::string& owner() const { return owner_; }

 private:
  Json said_;
  Json defaults_;
  std::string file_;
  std::string owner_;
  std::set<std::string, std::less<>> read_;
};

// What every message of this kind ends with.
inline constexpr auto without_processor = "--processor none leaves it aside";

}  // namespace hone
