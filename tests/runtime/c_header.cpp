#include "tests/runtime/c_header.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include "base/text.h"

namespace hone {
namespace {

using Words = std::span<const std::string_view>;

bool is_name_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

bool is_space(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }

// Takes a header apart: names and numbers are a word each, and so is every other letter. Of what
// the preprocessor chooses between, the last counts: the first is for minimal builds and Windows.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  std::vector<std::string_view> words() {
    while (at_ < text_.size()) {
      if (is_space(text_[at_])) {
        ++at_;
      } else if (text_.substr(at_, 2) == "/*") {
        take_through("*/");
      } else if (text_.substr(at_, 2) == "//") {
        take_through("\n");
      } else if (text_[at_] == '#') {
        obey(take_through("\n"));
      } else {
        words_.push_back(take_word());
      }
    }
    return std::move(words_);
  }

 private:
  std::string_view take_through(std::string_view end) {
    const std::size_t start = at_;
    const std::size_t found = text_.find(end, start + 1);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
    return text_.substr(start, at_ - start);
  }

  std::string_view take_word() {
    const std::size_t start = at_++;
    if (!is_name_letter(text_[start])) return text_.substr(start, 1);
    while (at_ < text_.size() && is_name_letter(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  void obey(std::string_view directive) {
    if (directive.starts_with("#if")) choices_.push_back(words_.size());
    if (choices_.empty()) return;
    if (directive.starts_with("#el")) words_.resize(choices_.back());
    if (directive.starts_with("#endif")) choices_.pop_back();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string_view> words_;
  std::vector<std::size_t> choices_;  // where the words of each open #if begin
};

// What stands between the braces of `struct table { ... }`.
Result<Words> body_of(Words words, std::string_view table) {
  const std::array opening = {std::string_view("struct"), table, std::string_view("{")};
  const auto start = std::search(words.begin(), words.end(), opening.begin(), opening.end());
  if (start == words.end()) return fail(Fault::bad_input, "it has no struct " + std::string(table));
  const auto first = start + opening.size();
  // A table of functions has no braces of its own.
  const auto end =
      std::find_if(first, words.end(), [](auto word) { return word == "{" || word == "}"; });
  if (end == words.end() || *end == "{")
    return fail(Fault::bad_input, "its struct " + std::string(table) + " does not end");
  return Words(first, end);
}

std::string_view word_at(Words words, std::size_t index) {
  return index < words.size() ? words[index] : std::string_view();
}

std::size_t place_of(Words words, std::string_view word) {
  return static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
}

// The four ways the header declares a function.
Result<std::string> function_of(Words member) {
  std::string_view name;
  const std::string_view macro = member.front();
  if (macro == "ORT_CLASS_RELEASE") return "Release" + std::string(word_at(member, 2));
  if (macro == "ORT_API2_STATUS") name = word_at(member, 2);
  if (macro == "ORT_API_T") name = word_at(member, place_of(member, ",") + 1);
  // const char*(ORT_API_CALL* GetErrorMessage)(...)
  if (const std::size_t call = place_of(member, "ORT_API_CALL"); word_at(member, call + 3) == ")")
    name = word_at(member, call + 2);
  if (!name.empty() && is_name_letter(name.front())) return std::string(name);
  std::vector<std::string> shown(member.begin(), member.begin() + std::min<long>(member.size(), 9));
  return fail(Fault::bad_input,
              "it has a member that is no function: " + printable(join(shown, " ")));
}

}  // namespace

Result<std::vector<std::string>> read_table(std::string_view header, std::string_view table) {
  const std::vector<std::string_view> words = Splitter(header).words();
  HONE_TRY(Words body, body_of(words, table));
  std::vector<std::string> functions;
  while (!body.empty()) {
    const std::size_t end = place_of(body, ";");
    if (end > 0) {
      HONE_TRY(std::string name, function_of(body.first(end)));
      functions.push_back(std::move(name));
    }
    body = body.subspan(std::min(end + 1, body.size()));
  }
  return functions;
}

Result<int> read_api_version(std::string_view header) {
  constexpr std::string_view define = "#define ORT_API_VERSION ";
  const std::size_t found = header.find(define);
  int version = 0;
  if (found != std::string_view::npos) {
    const char* digits = header.data() + found + define.size();
    std::from_chars(digits, header.data() + header.size(), version);
  }
  if (version <= 0) return fail(Fault::bad_input, "it does not say its ORT_API_VERSION");
  return version;
}

}  // namespace hone
