#pragma once
// How large a picture becomes: the forms `size` has, and what each kind of processor makes of them.

#include <functional>
#include <optional>
#include <string>

#include "processor/image.h"
#include "processor/settings.h"

namespace hone {

// `size` or `crop_size`: an object of these, [height, width], or a number.
struct SizeForm {
  std::optional<std::size_t> height;
  std::optional<std::size_t> width;
  std::optional<std::size_t> shortest_edge;
  std::optional<std::size_t> longest_edge;
  std::optional<std::size_t> max_height;
  std::optional<std::size_t> max_width;

  bool is_exact() const { return height && width; }
};

// What a number stands for.
enum class Number { square, shortest_edge };

Result<SizeForm> read_size(Settings& settings, std::string_view key, Number number);
// Height and width, and nothing else.
Result<PictureSize> read_exact_size(Settings& settings, std::string_view key);

struct Sizing {
  // May come to sides of 0 or to huge ones: whoever asks looks at it.
  std::function<PictureSize(const PictureSize& picture)> size_of;
  std::string words;                     // "shortest edge 256"
  std::optional<PictureSize> crop = {};  // that belongs to it
};

// Height and width; a number is a square.
Result<Sizing> exact_sizing(Settings& settings);
// The shortest edge, or height and width.
Result<Sizing> edge_sizing(Settings& settings);
// Both edges, the most height and width, or height and width; rounded down to a multiple where it
// is not 1.
Result<Sizing> edges_sizing(Settings& settings, std::size_t multiple);

// The shortest edge becomes `edge`, the other follows.
PictureSize with_shortest_edge(const PictureSize& picture, std::size_t edge);

}  // namespace hone
