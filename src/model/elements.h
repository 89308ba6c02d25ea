#pragma once
// Dense elements as numbers and back: one place that knows how each type is laid out.

#include <cstdint>
#include <span>
#include <string_view>

#include "model/types.h"

namespace hone {

// Whether the two functions below know the type: all floats but the 8-bit and smaller ones, all
// integers but the 2-bit ones. Not bool, strings and complex numbers.
bool holds_numbers(ElementType type);

// Reads numbers.size() elements from the start of `bytes`; 64-bit integers lose what a double
// cannot hold. REQUIRES: holds_numbers(type), and bytes for that many elements.
void decode_elements(ElementType type, std::string_view bytes, std::span<double> numbers);

// Writes the nearest value of the type, never beyond its range (floats: the largest finite number,
// ties to even; integers: ties away from zero). Only IEEE operations, so that every machine writes
// the same bytes. REQUIRES: holds_numbers(type), no NaN, and room for that many elements at
// `bytes`.
void encode_elements(ElementType type, std::span<const double> numbers, char* bytes);

// From one type to another, as these two do it; whether all were numbers. Where one is none, what
// is made is not to be used. REQUIRES: holds_numbers() of both, bytes of whole elements, and room
// for as many at `made`.
bool cast_elements(ElementType from, std::string_view bytes, ElementType to, char* made);

}  // namespace hone
