#pragma once
// A file that was built into the program: it stays one file that needs no other. `hone_embed` of
// cmake/HoneModule.cmake makes the function that hands out several.

#include <string_view>

namespace hone {

struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

}  // namespace hone
