#include "report/html/html.h"

#include "base/text.h"

namespace hone {
namespace {

void append_escaped(std::string_view line, std::string& code) {
  for (const char c : printable(line)) {
    switch (c) {
      case '&':
        code += "&amp;";
        break;
      case '<':
        code += "&lt;";
        break;
      case '>':
        code += "&gt;";
        break;
      case '"':
        code += "&quot;";
        break;
      case '\'':
        code += "&#39;";
        break;
      default:
        code += c;
    }
  }
}

std::string open_tag(std::string_view name, const Attributes& attributes) {
  std::string code = "<" + std::string(name);
  for (const HtmlAttribute& attribute : attributes) {
    code += " " + std::string(attribute.name);
    if (!attribute.value.empty()) code += "=\"" + Html(attribute.value).code() + "\"";
  }
  return code + ">";
}

}  // namespace

Html::Html(std::string_view text) {
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    append_escaped(text.substr(begin, end - begin), code_);
    if (end == text.size()) return;
    code_ += '\n';
    begin = end + 1;
  }
}

Html Html::trusted(std::string_view code) {
  Html html;
  html.code_ = code;
  return html;
}

Html& Html::operator+=(const Html& other) {
  code_ += other.code_;
  return *this;
}

Html element(std::string_view name, const Attributes& attributes, const Html& inner) {
  return Html::trusted(open_tag(name, attributes) + inner.code() + "</" + std::string(name) + ">");
}

Html element(std::string_view name, const Html& inner) { return element(name, {}, inner); }

Html void_element(std::string_view name, const Attributes& attributes) {
  return Html::trusted(open_tag(name, attributes));
}

Html json_data(const Json& value) {
  // In JSON a '<' can only stand inside of a string, where its escape means the same.
  std::string code;
  for (const char c : value.dump(-1)) c == '<' ? code += "\\u003c" : code += c;
  return Html::trusted(code);
}

}  // namespace hone
