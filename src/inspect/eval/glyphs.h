#pragma once
// Text as pixels, in a font of the machine.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace hone {

// How much of each pixel is covered by ink, 0 to 255; rows from the top.
struct Coverage {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<unsigned char> ink;
};

class Font {
 public:
  // A TrueType file.
  static Result<Font> open(const Path& file);
  Font(Font&&) noexcept;
  Font& operator=(Font&&) noexcept;
  ~Font();

  // One line of ASCII text, in letters of `size` pixels an em, in the middle of `height` rows with
  // `margin` columns free at either end.
  Coverage draw(std::string_view text, double size, std::size_t height, std::size_t margin) const;

 private:
  struct State;
  explicit Font(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hone
