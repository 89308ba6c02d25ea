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
                                         {Fault::timeout, "timeout"},
                                         {Fault::not_held, "not_held"}});
}

constexpr auto enum_names(Trouble) {
  return std::to_array<EnumName<Trouble>>({{Trouble::other, "other"},
                                           {Trouble::no_memory, "no_memory"},
                                           {Trouble::disk_full, "disk_full"},
                                           {Trouble::crashed, "crashed"},
                                           {Trouble::absent, "absent"},
                                           {Trouble::misplaced, "misplaced"},
                                           {Trouble::no_kernel, "no_kernel"}});
}

template <RecordOf<Error> Self>
void for_each_field(Self& error, auto&& field) {
  field("fault", error.fault, Presence::required);
  field("what", error.what);
  field("cause", error.cause);
  field("hint", error.hint);
  field("trouble", error.trouble);
}

// A command answers with null for what its error does not say.
template <>
inline Result<Error> from_json<Error>(const Json& json) {
  if (json.as_object() == nullptr) return detail::wrong_kind({}, "an object", json);
  Json said = Json::object();
  for (const auto& [name, value] : *json.as_object())
    if (!value.is_null()) said.set(name, value);
  Error error;
  HONE_TRY_DO(detail::read(said, error, detail::Place{}));
  return error;
}

}  // namespace hone
