#pragma once
// How a command declares its options, without its file seeing the option library (a heavy header).
// What is declared writes into variables of the command's once read() has seen the words.

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "record/enum_names.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hone::app {

inline constexpr std::string_view model_help =
    "the ONNX file, or a folder with one; -m and --model too";

enum class Need { optional, required };

struct IntegerRange {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

// What help says about one option.
struct OptionFacts {
  std::string names;  // "-o, --output", or "MODEL" for a positional
  std::string value;  // "FILE"; empty for flags and positionals
  std::string help;
  bool is_positional = false;
  bool is_required = false;
};

class Options {
 public:
  explicit Options(std::string command_name);
  ~Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  // A `spec` is names and, where a value follows, its placeholder: "-o,--output FILE".

  // The model: positional, or -m/--model. `name` is what help calls it.
  void model(std::string& target, std::string_view name = "MODEL",
             std::string_view help = model_help, Need need = Need::required);
  // The same for what is no model yet.
  void source(std::string& target, std::string_view name, std::string_view help,
              Need need = Need::required);
  void positional(std::string_view name, std::string& target, std::string_view help);
  // -o/--output and --overwrite. read() refuses an existing output before any work.
  void output(std::string& target, bool& overwrite, std::string_view help,
              Need need = Need::required);
  void flag(std::string_view spec, bool& target, std::string_view help);
  // The same for what is done unless it is given: --no-verify.
  void no_flag(std::string_view spec, bool& target, std::string_view help);
  void text(std::string_view spec, std::string& target, std::string_view help,
            Need need = Need::optional);
  void text(std::string_view spec, std::optional<std::string>& target, std::string_view help);
  // May be given several times.
  void texts(std::string_view spec, std::vector<std::string>& target, std::string_view help);
  void integer(std::string_view spec, std::int64_t& target, std::string_view help,
               Need need = Need::optional, IntegerRange range = {});
  void integer(std::string_view spec, std::optional<std::int64_t>& target, std::string_view help,
               IntegerRange range = {});
  void number(std::string_view spec, double& target, std::string_view help);
  void number(std::string_view spec, std::optional<double>& target, std::string_view help);
  void choice(std::string_view spec, std::string& target, std::vector<std::string> choices,
              std::string_view help);
  void choice(std::string_view spec, std::optional<std::string>& target,
              std::vector<std::string> choices, std::string_view help);
  // One of the words of an enum, or of an optional one.
  template <class Enum>
  void word(std::string_view spec, Enum& target, std::string_view help) {
    choice(spec, words_of(Enum{}), help,
           [&target](const std::string& said) { target = *value_named<Enum>(said); });
  }
  template <class Enum>
  void word(std::string_view spec, std::optional<Enum>& target, std::string_view help) {
    choice(spec, words_of(Enum{}), help,
           [&target](const std::string& said) { target = value_named<Enum>(said); });
  }
  // A share, said in percent: above 0 and below 100.
  void percent(std::string_view spec, double& share, std::string_view help);
  void seed(std::uint64_t& target, std::string_view help);
  // --shape-config, the same in every command that makes inputs.
  void shape_config(std::string& target);
  // --enable-NAME and --disable-NAME for each of the names; help has one line for all of them.
  void switches(const std::vector<std::string>& names, std::vector<std::string>& enabled,
                std::vector<std::string>& disabled, std::string_view help);

  // Something to settle once all words were read, and before any work.
  void afterwards(std::function<Status()> settle);

  // Fills the variables, or says what is wrong with the words: an unknown option (and the one that
  // was probably meant), a value that does not fit, a missing argument, an output that exists.
  Status read(const std::vector<std::string>& words);

  // Whether words had it. REQUIRES: read(), and an option of that name.
  bool is_given(const std::string& name) const;

  // Says of variables that they are models, or checkpoints that are no models yet: they may be
  // named as on a hub.
  void takes_model(std::string& target) { models_.push_back(&target); }
  void takes_models(std::vector<std::string>& targets) { model_lists_.push_back(&targets); }
  void takes_checkpoint(std::string& target) { checkpoints_.push_back(&target); }
  // Those that were named. REQUIRES: read().
  std::vector<std::string*> models() const;
  std::vector<std::string*> checkpoints() const;

  const std::vector<OptionFacts>& declared() const { return declared_; }

 private:
  using Reader = std::function<Status(const std::string& name, const std::string& value)>;
  struct Required {
    CLI::Option* option;
    std::string label;
  };
  struct Output {
    const std::string* path;
    const bool* overwrite;
  };

  template <class Enum>
  static std::vector<std::string> words_of(Enum) {
    std::vector<std::string> words;
    for (const auto& known : enum_names(Enum{})) words.emplace_back(known.name);
    return words;
  }
  void choice(std::string_view spec, std::vector<std::string> choices, std::string_view help,
              std::function<void(const std::string& said)> take);
  CLI::Option* add(std::string_view spec, std::string_view help, Need need, Reader reader);
  Status parse(std::vector<std::string> words);
  Failure unknown(const std::vector<std::string>& words) const;
  Failure refuse(std::string what) const;

  std::string command_name_;
  std::unique_ptr<CLI::App> app_;
  std::vector<OptionFacts> declared_;
  std::vector<std::string> switches_;  // names that help does not list
  std::vector<Required> required_;
  std::vector<Output> outputs_;
  std::vector<std::string*> models_;
  std::vector<std::vector<std::string>*> model_lists_;
  std::vector<std::string*> checkpoints_;
  std::vector<std::function<Status()>> afterwards_;
  std::unique_ptr<Error> problem_;  // the first value that did not fit
};

// "; did you mean 'inspect'?" to go behind a message, or nothing when no candidate is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace hone::app
