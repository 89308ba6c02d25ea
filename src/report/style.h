#pragma once
// Emphasis on a terminal. Off, every function returns its text as it is.

#include <string>
#include <string_view>

namespace hone {

class Style {
 public:
  explicit Style(bool is_on) : is_on_(is_on) {}

  std::string bold(std::string_view text) const { return wrap("\x1b[1m", text); }
  std::string dim(std::string_view text) const { return wrap("\x1b[2m", text); }
  std::string red(std::string_view text) const { return wrap("\x1b[31m", text); }
  std::string green(std::string_view text) const { return wrap("\x1b[32m", text); }
  std::string yellow(std::string_view text) const { return wrap("\x1b[33m", text); }

 private:
  std::string wrap(std::string_view start, std::string_view text) const {
    if (!is_on_) return std::string(text);
    return std::string(start).append(text).append("\x1b[0m");
  }
  bool is_on_;
};

}  // namespace hone
