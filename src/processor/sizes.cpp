#include "processor/sizes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hone {
namespace {

struct Member {
  std::string_view key;
  std::optional<std::size_t> SizeForm::*value;
};
constexpr auto members = std::to_array<Member>({{"height", &SizeForm::height},
                                                {"width", &SizeForm::width},
                                                {"shortest_edge", &SizeForm::shortest_edge},
                                                {"longest_edge", &SizeForm::longest_edge},
                                                {"max_height", &SizeForm::max_height},
                                                {"max_width", &SizeForm::max_width}});

std::optional<std::size_t> side_in(const Json& json) {
  const auto side = json.to_uint();
  if (!side || *side == 0 || *side > most_side) return std::nullopt;
  return static_cast<std::size_t>(*side);
}

constexpr auto no_side = "a side is a whole number from 1 to 16384";

Result<SizeForm> read_object(const Json::Object& object, std::string_view key,
                             const Settings& settings) {
  SizeForm form;
  for (const auto& [name, value] : object) {
    const auto member = std::ranges::find(members, name, &Member::key);
    if (member == members.end())
      return settings.refuse(key, "what that means for a size is not known");
    if (value.is_null()) continue;
    form.*(member->value) = side_in(value);
    if (!(form.*(member->value))) return settings.refuse(key, no_side);
  }
  return form;
}

// Python's int(a * b / c).
std::size_t scaled(std::size_t a, std::size_t b, std::size_t c) {
  return static_cast<std::size_t>(static_cast<double>(a * b) / static_cast<double>(c));
}
std::size_t scaled(double a, std::size_t b, std::size_t c) {
  return static_cast<std::size_t>(a * static_cast<double>(b) / static_cast<double>(c));
}

// The shorter side becomes `edge`, or less where the longer one would be more than `most`.
// `keeps_tall`: a tall picture whose width fits stays as it is, which YOLOS' does not.
PictureSize within_edges(const PictureSize& picture, std::size_t edge, std::size_t most,
                         bool keeps_tall) {
  const auto shorter = static_cast<double>(std::min(picture.height, picture.width));
  const auto longer = static_cast<double>(std::max(picture.height, picture.width));
  std::optional<double> raw;
  if (longer / shorter * static_cast<double>(edge) > static_cast<double>(most)) {
    raw = static_cast<double>(most) * shorter / longer;
    edge = static_cast<std::size_t>(std::nearbyint(*raw));
  }
  const auto other = [&](std::size_t side, std::size_t by) {
    return raw ? scaled(*raw, side, by) : scaled(edge, side, by);
  };
  const bool is_tall = picture.width < picture.height;
  if (std::min(picture.height, picture.width) == edge && (keeps_tall || !is_tall)) return picture;
  if (is_tall) return {other(picture.height, picture.width), edge};
  return {edge, other(picture.width, picture.height)};
}

PictureSize within_box(const PictureSize& picture, const PictureSize& most) {
  const auto height = static_cast<double>(picture.height);
  const auto width = static_cast<double>(picture.width);
  const double scale =
      std::min(static_cast<double>(most.height) / height, static_cast<double>(most.width) / width);
  return {static_cast<std::size_t>(height * scale), static_cast<std::size_t>(width * scale)};
}

Sizing exactly(const PictureSize& size) {
  return {[size](const PictureSize&) { return size; }, "resized to " + to_string(size)};
}

}  // namespace

Result<SizeForm> read_size(Settings& settings, std::string_view key, Number number) {
  const Json& said = settings.at(key);
  if (const Json::Object* object = said.as_object()) return read_object(*object, key, settings);
  SizeForm form;
  if (const Json::Array* list = said.as_array()) {
    if (list->size() == 2) {
      form.height = side_in((*list)[0]);
      form.width = side_in((*list)[1]);
    }
    if (form.is_exact()) return form;
    return settings.refuse(key, "a list is [height, width]");
  }
  const std::optional<std::size_t> side = side_in(said);
  if (!side) return settings.refuse(key, no_side);
  if (number == Number::shortest_edge) {
    form.shortest_edge = side;
  } else {
    form.height = form.width = side;
  }
  return form;
}

Result<PictureSize> read_exact_size(Settings& settings, std::string_view key) {
  HONE_TRY(const SizeForm form, read_size(settings, key, Number::square));
  const bool has_more =
      form.shortest_edge || form.longest_edge || form.max_height || form.max_width;
  if (!form.is_exact() || has_more) return settings.refuse(key, "it takes height and width");
  return PictureSize{*form.height, *form.width};
}

Result<Sizing> exact_sizing(Settings& settings) {
  HONE_TRY(const PictureSize size, read_exact_size(settings, "size"));
  return exactly(size);
}

Result<Sizing> edge_sizing(Settings& settings) {
  HONE_TRY(const SizeForm form, read_size(settings, "size", Number::shortest_edge));
  if (!form.longest_edge && !form.max_height && !form.max_width) {
    if (form.shortest_edge && !form.height && !form.width) {
      return Sizing{[edge = *form.shortest_edge](const PictureSize& picture) {
                      return with_shortest_edge(picture, edge);
                    },
                    "shortest edge " + std::to_string(*form.shortest_edge)};
    }
    if (form.is_exact() && !form.shortest_edge) return exactly({*form.height, *form.width});
  }
  return settings.refuse("size", "it takes shortest_edge, or height and width");
}

Result<Sizing> edges_sizing(Settings& settings, std::size_t multiple) {
  HONE_TRY(SizeForm form, read_size(settings, "size", Number::shortest_edge));
  if (settings.at("size").as_object() == nullptr && form.shortest_edge) {
    HONE_TRY(form.longest_edge, settings.whole("max_size", 1, most_side));
  }
  settings.pass("max_size");
  const bool has_edges = form.shortest_edge && form.longest_edge;
  const bool has_box = form.max_height && form.max_width;
  if (has_edges && !form.height && !form.width && !form.max_height && !form.max_width) {
    const std::size_t edge = *form.shortest_edge;
    const std::size_t most = *form.longest_edge;
    const auto size_of = [edge, most, multiple](const PictureSize& picture) {
      const PictureSize size = within_edges(picture, edge, most, multiple == 1);
      return PictureSize{size.height - size.height % multiple, size.width - size.width % multiple};
    };
    return Sizing{size_of, "shortest edge " + std::to_string(edge) + ", longest at most " +
                               std::to_string(most) +
                               (multiple > 1 ? ", multiples of " + std::to_string(multiple) : "")};
  }
  if (has_box && !form.height && !form.width && !form.shortest_edge && !form.longest_edge) {
    const PictureSize most{*form.max_height, *form.max_width};
    return Sizing{[most](const PictureSize& picture) { return within_box(picture, most); },
                  "as large as fits into " + to_string(most)};
  }
  const bool has_more =
      form.shortest_edge || form.longest_edge || form.max_height || form.max_width;
  if (form.is_exact() && !has_more) return exactly({*form.height, *form.width});
  return settings.refuse("size",
                         "it takes shortest_edge and longest_edge, max_height and max_width, or "
                         "height and width");
}

PictureSize with_shortest_edge(const PictureSize& picture, std::size_t edge) {
  if (picture.width <= picture.height) return {scaled(edge, picture.height, picture.width), edge};
  return {edge, scaled(edge, picture.width, picture.height)};
}

}  // namespace hone
