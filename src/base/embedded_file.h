#pragma once
// A file of the repository that is a part of the program: cmake/EmbedFiles.cmake writes the source.

#include <string_view>

namespace hone {

struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

}  // namespace hone
