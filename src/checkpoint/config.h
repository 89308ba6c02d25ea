#pragma once
// The configuration of a checkpoint, switch by switch. What a family reads is remembered, with what
// it came to; a value it cannot take is a problem with the switch's name, never a guess.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "checkpoint/problems.h"

namespace hone {

// One switch that was read: "vision_config.hidden_act", the value as JSON, and whether the file
// says it or it is what transformers takes where nothing is said.
struct ConfigSwitch {
  std::string name;
  std::string value;
  bool is_said = false;
};

class Config {
 public:
  // `document` is config.json. REQUIRES: problems outlives the Config and its parts.
  Config(Json document, Problems& problems);

  // Present, and not null.
  bool has(std::string_view key) const;
  // Present, and null: what switches off that which is on where nothing is said.
  bool is_null(std::string_view key) const;
  // The same switches, of which null says no more than where there is nothing. Of any other a null
  // stands for what is nothing (0, false, an empty word or list) and is a problem where the usual
  // value is something: transformers takes it for a value.
  Config nullable() const;
  // Each of these gives a harmless value where there is a problem. Without `otherwise` the switch
  // has to be there.
  std::int64_t whole(std::string_view key) const;
  std::int64_t whole(std::string_view key, std::int64_t otherwise) const;
  // From 1 to 2^31 - 1: widths, counts of heads, vocabularies.
  std::int64_t size(std::string_view key) const;
  std::int64_t size(std::string_view key, std::int64_t otherwise) const;
  // From 0 to 1,000: how many of something are stacked.
  std::int64_t layers(std::string_view key) const;
  std::int64_t layers(std::string_view key, std::int64_t otherwise) const;
  double real(std::string_view key) const;
  double real(std::string_view key, double otherwise) const;
  bool flag(std::string_view key, bool otherwise) const;
  std::string word(std::string_view key) const;
  std::string word(std::string_view key, std::string_view otherwise) const;
  std::vector<std::int64_t> wholes(std::string_view key) const;
  std::vector<std::int64_t> wholes(std::string_view key, std::vector<std::int64_t> otherwise) const;
  std::vector<double> reals(std::string_view key, std::vector<double> otherwise) const;
  std::vector<std::string> words(std::string_view key, std::vector<std::string> otherwise) const;
  // Of width and height: image sizes, patches and kernels are one number or two.
  std::vector<std::int64_t> pair(std::string_view key) const;
  std::vector<std::int64_t> pair(std::string_view key, std::int64_t otherwise) const;
  // The value as it stands, for what has a shape of its own; null where it is not there.
  const Json* raw(std::string_view key) const;
  // A nested configuration. Where it is not there: a problem, and one in which nothing is said.
  Config part(std::string_view key) const;

  // The switch has this value or is not said: any other is a problem, for `why`.
  void only(std::string_view key, const Json& value, std::string_view why) const;
  // One of these words; any other is a problem that names them.
  std::string one_of(std::string_view key, std::initializer_list<std::string_view> words,
                     std::string_view otherwise) const;
  // A problem with a switch: "config.json: hidden_act is 'x': why".
  void refuse(std::string_view key, std::string_view why) const;
  // whole / parts, which has to come out even.
  std::int64_t divided(std::string_view whole_key, std::int64_t whole, std::string_view parts_key,
                       std::int64_t parts) const;

  // All that were read so far, of this and of its parts, in that order.
  const std::vector<ConfigSwitch>& read() const { return *read_; }
  // Switches of the file that nobody has read yet, of this part alone.
  std::vector<std::string> not_read() const;
  Problems& problems() const { return *problems_; }

 private:
  Config(std::shared_ptr<const Json> root, const Json* object, std::string path, Problems& problems,
         std::shared_ptr<std::vector<ConfigSwitch>> read);
  const Json* look(std::string_view key) const;
  void remember(std::string_view key, const Json& value, bool is_said) const;
  void missing(std::string_view key) const;
  void refuse_null(std::string_view key, bool is_nothing) const;
  std::string full(std::string_view key) const;
  std::int64_t in_range(std::string_view key, std::int64_t value, std::int64_t low,
                        std::int64_t high) const;

  std::shared_ptr<const Json> root_;
  const Json* object_;
  std::string path_;
  Problems* problems_;
  std::shared_ptr<std::vector<ConfigSwitch>> read_;
  bool is_nullable_ = false;
};

}  // namespace hone
