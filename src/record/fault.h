#pragma once
// The words of Fault, for JSON.

#include "base/result.h"
#include "record/enum_names.h"

namespace hone {

constexpr auto enum_names(Fault) {
  return std::to_array<EnumName<Fault>>({{Fault::bad_input, "bad_input"},
                                         {Fault::not_found, "not_found"},
                                         {Fault::unsupported, "unsupported"},
                                         {Fault::runtime, "runtime"},
                                         {Fault::io, "io"},
                                         {Fault::timeout, "timeout"}});
}

}  // namespace hone
