#include "inspect/eval/maps.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace hone {
namespace {

// Between which two lines of the smaller map a line of the larger one is, and how far from the
// first.
struct Between {
  std::size_t first = 0;
  std::size_t second = 0;
  double share = 0;
};

std::vector<Between> lines_between(std::size_t from, std::size_t to) {
  std::vector<Between> lines(to);
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  for (std::size_t i = 0; i < to; ++i) {
    const double at = std::clamp((static_cast<double>(i) + 0.5) * scale - 0.5, 0.0,
                                 static_cast<double>(from - 1));
    lines[i].first = static_cast<std::size_t>(at);
    lines[i].second = std::min(lines[i].first + 1, from - 1);
    lines[i].share = at - static_cast<double>(lines[i].first);
  }
  return lines;
}

}  // namespace

Result<Maps> maps_of_output(const NamedTensors& outputs, const std::string& name) {
  HONE_TRY(std::vector<double> numbers, numbers_of_output(outputs, name));
  std::vector<std::int64_t> dims = outputs.at(name)->dims;
  while (dims.size() < 4) dims.insert(dims.begin(), 1);
  if (dims.size() != 4 || dims[0] != 1 || numbers.empty()) {
    return fail(Fault::bad_input,
                "the output '" + printable(name) + "' is no map of a picture: it is not [1,C,h,w]",
                {}, "name another one: --output-name NAME");
  }
  return Maps{static_cast<std::size_t>(dims[1]), static_cast<std::size_t>(dims[2]),
              static_cast<std::size_t>(dims[3]), std::move(numbers)};
}

Maps scaled(const Maps& maps, std::size_t height, std::size_t width) {
  if (maps.height == height && maps.width == width) return maps;
  const std::vector<Between> rows = lines_between(maps.height, height);
  const std::vector<Between> columns = lines_between(maps.width, width);
  Maps made{maps.count, height, width, {}};
  made.values.reserve(maps.count * height * width);
  for (std::size_t map = 0; map < maps.count; ++map) {
    const auto plane = maps.plane(map);
    for (const Between& y : rows) {
      for (const Between& x : columns) {
        const auto across = [&](std::size_t row) {
          return plane[row * maps.width + x.first] * (1 - x.share) +
                 plane[row * maps.width + x.second] * x.share;
        };
        made.values.push_back(across(y.first) * (1 - y.share) + across(y.second) * y.share);
      }
    }
  }
  return made;
}

Result<Path> file_of_label(const Json& label) {
  const Json* file = label.find("file");
  if (file != nullptr && file->as_string() != nullptr) return Path(*file->as_string());
  return fail(Fault::bad_input, "the label is {\"file\": PATH}, not " + label.dump(-1));
}

}  // namespace hone
