#pragma once
// The words of an enum, in one list per enum:
//
//   enum class Color { red, green };
//   constexpr auto enum_names(Color) {
//     return std::to_array<EnumName<Color>>({{Color::red, "red"}, {Color::green, "green"}});
//   }
//
// name_of, value_named and the JSON of every record follow from it.

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>

namespace hone {

template <class Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};

template <class T>
concept NamedEnum = std::is_enum_v<T> && requires {
  enum_names(T{});
};

// Empty for a value that is not in the list.
template <NamedEnum Enum>
constexpr std::string_view name_of(Enum value) {
  for (const EnumName<Enum>& entry : enum_names(Enum{})) {
    if (entry.value == value) return entry.name;
  }
  return {};
}

template <NamedEnum Enum>
constexpr std::optional<Enum> value_named(std::string_view name) {
  for (const EnumName<Enum>& entry : enum_names(Enum{})) {
    if (entry.name == name) return entry.value;
  }
  return std::nullopt;
}

}  // namespace hone
