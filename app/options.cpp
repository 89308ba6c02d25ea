#include "app/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/misuse.h"
#include "base/text.h"

namespace hone::app {
namespace {

struct Spec {
  std::string names;  // "-o,--output"
  std::string value;  // "FILE"
};

Spec read_spec(std::string_view spec) {
  const std::size_t space = spec.find(' ');
  if (space == std::string_view::npos) return {std::string(spec), {}};
  return {std::string(spec.substr(0, space)), std::string(spec.substr(space + 1))};
}

// "-o,--output" is "--output" to a message.
std::string longest_name(const std::string& names) { return split(names, ',').back(); }

std::string spaced(const std::string& names) { return join(split(names, ','), ", "); }

// All of `text` as a number.
template <class Number>
bool read_number(const std::string& text, Number& target) {
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, target);
  return read.ec == std::errc() && read.ptr == end;
}

Failure bad_value(const std::string& name, const std::string& value, std::string wanted,
                  std::string hint = {}) {
  return fail(Fault::bad_input, "'" + value + "' is no value for " + name, std::move(wanted),
              std::move(hint));
}

// `target` is the value, or one that is only there when it is given; the same below.
auto text_into(auto& target) {
  return [&target](const std::string& name, const std::string& value) -> Status {
    // A script's variable that is not set: what was meant is not what is done without the option.
    if (value.empty() && name.starts_with('-'))
      return bad_value(name, value, "it is empty", "leave " + name + " out, or say what it is");
    target = value;
    return done();
  };
}

auto number_into(auto& target) {
  return [&target](const std::string& name, const std::string& value) -> Status {
    double number = 0;
    if (!read_number(value, number) || !std::isfinite(number))
      return bad_value(name, value, "it takes a number");
    target = number;
    return done();
  };
}

std::string describe(const IntegerRange& range) {
  const IntegerRange all;
  std::string text = "it takes a whole number";
  if (range.least != all.least) text += " from " + std::to_string(range.least);
  if (range.most != all.most) text += " to " + std::to_string(range.most);
  return text;
}

auto integer_into(auto& target, IntegerRange range) {
  return [&target, range](const std::string& name, const std::string& value) -> Status {
    std::int64_t number = 0;
    const bool fits = read_number(value, number) && number >= range.least && number <= range.most;
    if (!fits) return bad_value(name, value, describe(range));
    target = number;
    return done();
  };
}

}  // namespace

Options::Options(std::string command_name)
    : command_name_(std::move(command_name)), app_(std::make_unique<CLI::App>()) {
  app_->set_help_flag();
  app_->allow_extras();
}

Options::~Options() = default;

CLI::Option* Options::add(std::string_view spec_text, std::string_view help, Need need,
                          Reader reader) {
  const Spec spec = read_spec(spec_text);
  const std::string name = longest_name(spec.names);
  const bool is_positional = !spec.names.starts_with('-');
  const bool may_repeat = spec.value.ends_with("...") || spec.names.ends_with("...");
  const CLI::callback_t read_all = [this, name, may_repeat,
                                    reader](const std::vector<std::string>& values) {
    Status status = done();
    if (values.size() > 1 && !may_repeat) status = refuse(name + " is given twice");
    for (std::size_t i = 0; i < values.size() && status; ++i) status = reader(name, values[i]);
    if (!status && !problem_) problem_ = std::make_unique<Error>(std::move(status).error());
    return true;
  };
  CLI::Option* option = app_->add_option(spec.names, read_all);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  constexpr int any_number = -1;
  if (is_positional && may_repeat) option->expected(any_number);
  const bool is_required = need == Need::required;
  const std::string value = spec.value.empty() ? "" : " " + spec.value;
  if (is_required) required_.push_back({option, name + value});
  declared_.push_back(
      {spaced(spec.names), spec.value, std::string(help), is_positional, is_required});
  return option;
}

void Options::model(std::string& target, std::string_view name, std::string_view help, Need need) {
  source(target, name, help, need);
  takes_model(target);
  if (name != "MODEL") return;
  const auto part = std::make_shared<std::string>();
  text("--part NAME", *part, "one of several models in a folder: encoder_model");
  afterwards([part, &target] {
    if (!part->empty() && !target.empty()) target += "#" + *part;
    return done();
  });
}

std::vector<std::string*> Options::models() const {
  std::vector<std::string*> named = models_;
  for (std::vector<std::string>* list : model_lists_)
    for (std::string& model : *list) named.push_back(&model);
  std::erase_if(named, [](const std::string* model) { return model->empty(); });
  return named;
}

std::vector<std::string*> Options::checkpoints() const { return checkpoints_; }

void Options::source(std::string& target, std::string_view name, std::string_view help, Need need) {
  add("-m,--model," + std::string(name), help, need, text_into(target));
  declared_.back().names = name;
  declared_.back().is_positional = true;
}

void Options::positional(std::string_view name, std::string& target, std::string_view help) {
  text(name, target, help, Need::required);
}

void Options::output(std::string& target, bool& overwrite, std::string_view help, Need need) {
  text("-o,--output FILE", target, help, need);
  flag("--overwrite", overwrite, "replace an output that exists");
  outputs_.push_back({&target, &overwrite});
}

void Options::flag(std::string_view spec, bool& target, std::string_view help) {
  app_->add_flag(std::string(spec), target);
  declared_.push_back({spaced(std::string(spec)), {}, std::string(help)});
}

void Options::no_flag(std::string_view spec, bool& target, std::string_view help) {
  app_->add_flag_callback(std::string(spec), [&target] { target = false; });
  declared_.push_back({spaced(std::string(spec)), {}, std::string(help)});
}

void Options::text(std::string_view spec, std::string& target, std::string_view help, Need need) {
  add(spec, help, need, text_into(target));
}

void Options::text(std::string_view spec, std::optional<std::string>& target,
                   std::string_view help) {
  add(spec, help, Need::optional, text_into(target));
}

void Options::texts(std::string_view spec, std::vector<std::string>& target,
                    std::string_view help) {
  add(std::string(spec) + "...", help, Need::optional,
      [&target](const std::string&, const std::string& value) -> Status {
        target.push_back(value);
        return done();
      });
}

void Options::integer(std::string_view spec, std::int64_t& target, std::string_view help, Need need,
                      IntegerRange range) {
  add(spec, help, need, integer_into(target, range));
}

void Options::integer(std::string_view spec, std::optional<std::int64_t>& target,
                      std::string_view help, IntegerRange range) {
  add(spec, help, Need::optional, integer_into(target, range));
}

void Options::number(std::string_view spec, double& target, std::string_view help) {
  add(spec, help, Need::optional, number_into(target));
}

void Options::number(std::string_view spec, std::optional<double>& target, std::string_view help) {
  add(spec, help, Need::optional, number_into(target));
}

void Options::choice(std::string_view spec, std::vector<std::string> choices, std::string_view help,
                     std::function<void(const std::string& said)> take) {
  add(spec, help, Need::optional,
      [choices = std::move(choices), take = std::move(take)](const std::string& name,
                                                             const std::string& value) -> Status {
        if (std::ranges::find(choices, value) != choices.end()) return take(value), done();
        const std::string meant = nearest(value, choices);
        return bad_value(name, value, "it takes one of: " + join(choices, ", "),
                         meant.empty() ? "" : name + " " + meant);
      });
}

void Options::choice(std::string_view spec, std::string& target, std::vector<std::string> choices,
                     std::string_view help) {
  choice(spec, std::move(choices), help, [&target](const std::string& said) { target = said; });
}

void Options::choice(std::string_view spec, std::optional<std::string>& target,
                     std::vector<std::string> choices, std::string_view help) {
  choice(spec, std::move(choices), help, [&target](const std::string& said) { target = said; });
}

void Options::percent(std::string_view spec, double& share, std::string_view help) {
  add(spec, help, Need::optional,
      [&share](const std::string& name, const std::string& value) -> Status {
        double percent = 0;
        if (!read_number(value, percent) || !(percent > 0 && percent < 100))
          return bad_value(name, value, "it takes percent, above 0 and below 100");
        share = percent / 100;
        return done();
      });
}

void Options::seed(std::uint64_t& target, std::string_view help) {
  add("--seed N", help, Need::optional,
      [&target](const std::string& name, const std::string& value) -> Status {
        if (read_number(value, target)) return done();
        return bad_value(name, value, "it takes a whole number from 0 to 18446744073709551615");
      });
}

void Options::shape_config(std::string& target) {
  text("--shape-config TEXT", target,
       "sizes and values: seq=128,x=1x3x48x320,sr:=16000, or a JSON file");
}

void Options::switches(const std::vector<std::string>& names, std::vector<std::string>& enabled,
                       std::vector<std::string>& disabled, std::string_view help) {
  for (const std::string& name : names) {
    for (const auto& [verb, target] :
         {std::pair{"--enable-", &enabled}, std::pair{"--disable-", &disabled}}) {
      app_->add_flag_callback(verb + name, [name, into = target] { into->push_back(name); });
      switches_.push_back(verb + name);
    }
  }
  declared_.push_back({"--enable-NAME, --disable-NAME", {}, std::string(help)});
}

bool Options::is_given(const std::string& name) const { return app_->count(name) > 0; }

void Options::afterwards(std::function<Status()> settle) {
  afterwards_.push_back(std::move(settle));
}

Failure Options::refuse(std::string what) const {
  return misuse(std::move(what),
                command_name_.empty() ? "hone --help" : "hone help " + command_name_);
}

Failure Options::unknown(const std::vector<std::string>& words) const {
  const auto option = std::ranges::find_if(
      words, [](const std::string& word) { return word.size() > 1 && word.starts_with('-'); });
  if (option == words.end()) return refuse("unexpected argument '" + words.front() + "'");
  const std::string name = option->substr(0, option->find('='));
  std::vector<std::string> names = {"--format", "--no-color", "--version", "--help"};
  names.insert(names.end(), switches_.begin(), switches_.end());
  for (const OptionFacts& facts : declared_) {
    for (const std::string& candidate : split(facts.names, ',')) {
      if (const std::size_t dash = candidate.find('-'); dash != std::string::npos) {
        names.push_back(candidate.substr(dash));
      }
    }
  }
  return refuse("unknown option '" + name + "'" + did_you_mean(name, names));
}

Status Options::parse(std::vector<std::string> words) {
  const std::string last = words.empty() ? "" : words.back();
  std::ranges::reverse(words);
  try {
    app_->parse(std::move(words));
  } catch (const CLI::ArgumentMismatch&) {
    return refuse(last + " needs a value");  // the library ran out of words after the last one
  } catch (const CLI::ParseError& error) {
    return refuse(error.what());
  }
  return done();
}

Status Options::read(const std::vector<std::string>& words) {
  HONE_TRY_DO(parse(words));
  std::vector<std::string> extra = app_->remaining();
  std::erase(extra, "--");
  if (!extra.empty()) return unknown(extra);
  if (problem_) return fail(*problem_);
  for (const Required& required : required_) {
    if (required.option->count() == 0) {
      return refuse("hone " + command_name_ + " needs " + required.label);
    }
  }
  for (const Output& output : outputs_) {
    if (!output.path->empty()) HONE_TRY_DO(refuse_existing(*output.path, *output.overwrite));
  }
  for (const auto& settle : afterwards_) HONE_TRY_DO(settle());
  return done();
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string meant = nearest(word, candidates);
  return meant.empty() ? "" : "; did you mean '" + meant + "'?";
}

}  // namespace hone::app
