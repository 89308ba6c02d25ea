#include "inspect/run/given_input.h"

#include <algorithm>
#include <optional>

#include "base/folder.h"
#include "base/join_some.h"
#include "base/system_files.h"
#include "base/text.h"
#include "inspect/eval/image_file.h"

namespace hone {
namespace {

using Kind = GivenInput::Kind;

constexpr std::string_view text_mark = "text:";
constexpr auto what_there_is =
    "an input is an .npy, .png, .jpg, .bmp or .wav file, [1,2,3], NAME:=NUMBER or text:WORDS";

bool is_folder(const Path& path) {
  std::error_code unknown;
  return std::filesystem::is_directory(path, unknown);
}

bool exists(const Path& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

std::optional<Kind> kind_of_file(const Path& file) {
  if (is_image_file(file)) return Kind::picture;
  const std::string extension = lowercase(file.extension().string());
  if (extension == ".npy") return Kind::array;
  if (extension == ".npz") return Kind::archive;
  if (extension == ".wav") return Kind::sound;
  return std::nullopt;
}

// A word taken apart. `is_value` is by ":=".
struct Word {
  std::string input;
  std::string rest;
  bool is_value = false;
};

// The longest name of an input that stands before "=" or ":=": names may hold either.
std::optional<Word> take_name(const std::string& word, const std::vector<Port>& ports) {
  std::optional<Word> found;
  for (const Port& port : ports) {
    if (!word.starts_with(port.name) || (found && found->input.size() >= port.name.size()))
      continue;
    const std::string rest = word.substr(port.name.size());
    if (rest.starts_with(":=")) found = Word{port.name, rest.substr(2), true};
    if (rest.starts_with("=")) found = Word{port.name, rest.substr(1), false};
  }
  return found;
}

Failure unknown_input(const std::string& name, const std::vector<Port>& ports) {
  std::vector<std::string> known;
  for (const Port& port : ports) known.push_back(port.name);
  const std::string meant = nearest(name, known);
  return fail(Fault::bad_input, "the model has no input '" + printable(name) + "'",
              list_ports(ports),
              meant.empty() ? "--input NAME=FILE takes those names"
                            : "did you mean '" + printable(meant) + "'?");
}

Result<Word> take_apart(const std::string& word, const std::vector<Port>& ports) {
  if (std::optional<Word> named = take_name(word, ports)) return *named;
  const bool is_content = word.starts_with(text_mark) || word.starts_with("[") || exists(word);
  const std::size_t end = word.find('=');
  if (is_content || end == std::string::npos) return Word{{}, word, false};
  const bool is_value = end > 0 && word[end - 1] == ':';
  return unknown_input(word.substr(0, end - (is_value ? 1 : 0)), ports);
}

Failure unreadable(const Word& word) {
  if (parse_number<double>(word.rest)) {
    const std::string name = word.input.empty() ? "NAME" : printable(word.input);
    return fail(Fault::bad_input, "'" + printable(word.rest) + "' is no file", {},
                "a number is given as --input " + name + ":=" + printable(word.rest));
  }
  if (!exists(word.rest)) {
    return fail(Fault::not_found, "cannot read '" + printable(word.rest) + "'",
                "No such file or directory", what_there_is);
  }
  return fail(Fault::bad_input, "'" + printable(word.rest) + "' is no input that can be read", {},
              what_there_is);
}

// What of a folder can be read, in the order of names.
Result<std::vector<GivenInput>> inputs_in_folder(const Word& word) {
  HONE_TRY(const std::vector<Path> files, files_in(word.rest));
  std::vector<GivenInput> found;
  for (const Path& file : files) {
    const auto kind = kind_of_file(file);
    if (kind && *kind != Kind::archive) found.push_back({word.input, *kind, file.string()});
  }
  if (found.empty()) {
    return fail(Fault::bad_input, "there is no input in the folder '" + printable(word.rest) + "'",
                "it has no .npy, .png, .jpg, .bmp or .wav file", "--input-data takes .npz files");
  }
  return found;
}

Result<std::vector<GivenInput>> parse_word(const std::string& text,
                                           const std::vector<Port>& ports) {
  HONE_TRY(const Word word, take_apart(text, ports));
  const auto one = [&](Kind kind, std::string words) {
    return std::vector<GivenInput>{{word.input, kind, std::move(words)}};
  };
  if (word.is_value) return one(Kind::value, word.rest);
  if (word.rest.starts_with(text_mark)) return one(Kind::text, word.rest.substr(text_mark.size()));
  if (word.rest.starts_with("[")) return one(Kind::numbers, word.rest);
  if (is_folder(word.rest)) return inputs_in_folder(word);
  const auto kind = kind_of_file(word.rest);
  if (!kind) return unreadable(word);
  if (kind == Kind::archive && word.input.empty()) {
    return fail(Fault::bad_input, "'" + printable(word.rest) + "' holds arrays by their names", {},
                "--input-data " + printable(word.rest) + " gives each to the input of its name");
  }
  return one(*kind, word.rest);
}

}  // namespace

std::string GivenInput::describe() const {
  constexpr std::size_t most = 40;
  const bool is_file = kind != Kind::text && kind != Kind::numbers && kind != Kind::value;
  if (is_file || words.size() <= most) return words;
  return to_utf8(words.substr(0, most)) + "...";
}

Result<std::vector<GivenInput>> parse_inputs(const std::vector<std::string>& words,
                                             const std::vector<Port>& ports) {
  std::vector<GivenInput> inputs;
  for (const std::string& word : words) {
    HONE_TRY(std::vector<GivenInput> found, parse_word(word, ports));
    std::move(found.begin(), found.end(), std::back_inserter(inputs));
  }
  return inputs;
}

std::string list_ports(const std::vector<Port>& ports) {
  constexpr std::size_t most = 8;
  std::vector<std::string> words;
  for (const Port& port : ports)
    words.push_back(printable(port.name) + ": " + to_string(port.type));
  return words.empty() ? "it has no inputs" : "its inputs are " + join_some(words, most);
}

}  // namespace hone
