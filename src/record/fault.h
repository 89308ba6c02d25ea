#pragma once
// The words of Fault, and the fields of an Error, for JSON.

#include "base/result.h"
#include "record/enum_names.h"
#include "record/fields.h"

namespace hone {

constexpr auto enum_names(Fault) {
  return std::to_array<EnumName<Fault>>({{Fault::bad_input, "bad_input"},
                                         {Fault::not_found, "not_found"},
                                         {Fault::unsupported, "unsupported"},
                                         {Fault::runtime, "runtime"},
                                         {Fault::io, "io"},
                                         {Fault::timeout, "timeout"}});
}

template <RecordOf<Error> Self>
void for_each_field(Self& error, auto&& field) {
  field("fault", error.fault, Presence::required);
  field("what", error.what);
  field("cause", error.cause);
  field("hint", error.hint);
}

}  // namespace hone
