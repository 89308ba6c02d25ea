#pragma once
// HTML that cannot be injected into: text becomes Html by being escaped, and in no other way but
// Html::trusted, which is for our own files.

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace hone {

class Html {
 public:
  Html() = default;
  // Invalid UTF-8 is replaced and control characters made visible; line breaks stay.
  Html(std::string_view text);
  Html(const std::string& text) : Html(std::string_view(text)) {}
  Html(const char* text) : Html(std::string_view(text)) {}
  static Html trusted(std::string_view code);

  Html& operator+=(const Html& other);
  friend Html operator+(Html left, const Html& right) { return std::move(left += right); }

  bool empty() const { return code_.empty(); }
  const std::string& code() const { return code_; }

 private:
  std::string code_;
};

struct HtmlAttribute {
  std::string_view name;
  std::string value;  // escaped when it is written
};
using Attributes = std::vector<HtmlAttribute>;

// <name attributes>inner</name>
Html element(std::string_view name, const Attributes& attributes, const Html& inner);
Html element(std::string_view name, const Html& inner);
// <name attributes>: the elements that have no inside, meta and input.
Html void_element(std::string_view name, const Attributes& attributes);

// A value for <script type="application/json">: nothing in it ends the element, and it parses to
// the same.
Html json_data(const Json& value);

}  // namespace hone
