#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/json.h"
#include "base/text.h"

namespace hone {
namespace {

// Deep enough for every document of ours; shallow enough for functions that call themselves per
// level.
constexpr std::size_t deepest = 256;
// From here on looking for a repeated key takes a set; below, a walk over the members is cheaper.
constexpr std::size_t few_members = 32;

// Reads the text one byte at a time and says how far it came, which the parser's events do not.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

// Builds the value from the parser's events; false ends the parse.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Json take_root() { return std::move(root_); }
  const std::string& problem() const { return problem_; }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return refuse("binary values are not JSON"); }

  bool start_object(std::size_t) override { return open(true); }
  bool start_array(std::size_t) override { return open(false); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    if (is_repeated(key)) return refuse("the key '" + printable(key) + "' appears twice");
    open_.back().key = std::move(key);
    return true;
  }

  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ...": the
    // part after the position, which we state ourselves.
    const std::string_view text = error.what();
    const std::size_t column = text.find(", column ");
    const std::size_t start =
        column == std::string_view::npos ? text.find("] ") : text.find(": ", column);
    return refuse(printable(start == std::string_view::npos ? text : text.substr(start + 2)));
  }

 private:
  struct Level {
    bool is_object = false;
    Json::Array elements;
    Json::Object members;
    std::string key;                       // of the member whose value comes next
    std::unordered_set<std::string> keys;  // of all members, once they are many
  };

  bool refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  bool open(bool is_object) {
    if (open_.size() == deepest) {
      return refuse("it is nested deeper than " + std::to_string(deepest) + " levels");
    }
    open_.emplace_back().is_object = is_object;
    return true;
  }

  bool close() {
    Level level = std::move(open_.back());
    open_.pop_back();
    return add(level.is_object ? Json(std::move(level.members)) : Json(std::move(level.elements)));
  }

  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (Level& level = open_.back(); level.is_object) {
      level.members.emplace_back(std::move(level.key), std::move(value));
    } else {
      level.elements.push_back(std::move(value));
    }
    return true;
  }

  bool is_repeated(const std::string& key) {
    Level& level = open_.back();
    if (level.members.size() < few_members) {
      return std::ranges::find(level.members, key, &Json::Member::first) != level.members.end();
    }
    if (level.keys.empty()) {
      for (const Json::Member& member : level.members) level.keys.insert(member.first);
    }
    return !level.keys.insert(key).second;
  }

  Json root_;
  std::vector<Level> open_;
  std::string problem_;
};

// "line 3, column 7" of the last byte that was read.
std::string position_of(std::string_view text, std::size_t bytes_read) {
  const std::string_view read = text.substr(0, bytes_read == 0 ? 0 : bytes_read - 1);
  const auto line = 1 + std::ranges::count(read, '\n');
  const std::size_t line_start = read.rfind('\n') + 1;  // npos + 1 is 0
  return "line " + std::to_string(line) + ", column " +
         std::to_string(read.size() - line_start + 1);
}

}  // namespace

Result<Json> Json::parse(std::string_view text) {
  const char* furthest = text.data();
  Builder builder;
  const char* const end = text.data() + text.size();
  const bool complete = nlohmann::json::sax_parse(CountingIterator(text.data(), &furthest),
                                                  CountingIterator(end, &furthest), &builder);
  if (complete) return builder.take_root();
  const auto bytes_read = static_cast<std::size_t>(furthest - text.data());
  return fail(Fault::bad_input, "invalid JSON at " + position_of(text, bytes_read),
              builder.problem());
}

}  // namespace hone
