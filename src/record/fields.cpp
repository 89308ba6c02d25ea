#include "record/fields.h"

#include "base/misuse.h"
#include "base/text.h"

namespace hone {
namespace detail {
namespace {

// "'inputs[2].name'", or "the document" for the whole of it.
std::string named(const Place& place) {
  const std::string text = place.text();
  return text.empty() ? "the document" : "'" + text + "'";
}

std::vector<std::string> names_of(const std::vector<ReadEntry>& fields) {
  std::vector<std::string> names;
  for (const ReadEntry& field : fields) names.emplace_back(field.name);
  return names;
}

template <class T>
Status read_held(const T* held, std::string_view wanted, const Json& json, T& value,
                 const Place& place) {
  if (held == nullptr) return wrong_kind(place, wanted, json);
  value = *held;
  return done();
}

template <class T>
Result<T> number_in(const Json& json, const Place& place, Result<T> (Json::*convert)() const) {
  if (!json.is_number()) return wrong_kind(place, "a number", json);
  Result<T> number = (json.*convert)();
  if (!number) return wrong_number(place, number.error().what);
  return number;
}

}  // namespace

std::string Place::text() const {
  if (parent == nullptr) return {};
  const std::string before = parent->text();
  if (!key) return before + "[" + std::to_string(index) + "]";
  return (before.empty() ? "" : before + ".") + printable(*key);
}

Failure wrong_kind(const Place& place, std::string_view wanted, const Json& found) {
  return fail(Fault::bad_input,
              named(place) + " must be " + std::string(wanted) + ", not " + found.described_kind());
}

Failure wrong_number(const Place& place, std::string why) {
  return fail(Fault::bad_input, named(place) + " has a wrong value", std::move(why));
}

Failure unknown_name(const Place& place, std::string_view what, std::string_view name,
                     const std::vector<std::string>& known) {
  const std::string nearest_name = nearest(name, known);
  return misuse("unknown " + std::string(what) + " '" + printable(name) + "' in " + named(place),
                nearest_name.empty() ? "known are: " + join(known, ", ")
                                     : "did you mean '" + nearest_name + "'?");
}

Failure missing_key(const Place& place, std::string_view key) {
  return fail(Fault::bad_input, named(place) + " has no '" + std::string(key) + "'");
}

Failure out_of_range(const Json& json, const Place& place) {
  return wrong_number(place, json.dump(-1) + " is out of range");
}

Failure wrong_name(const Json& json, const Place& place, const std::vector<std::string>& known) {
  const std::string* name = json.as_string();
  if (name == nullptr) return wrong_kind(place, "a string", json);
  return unknown_name(place, "value", *name, known);
}

Status read_scalar(const Json& json, bool& value, const Place& place) {
  return read_held(json.as_bool(), "a boolean", json, value, place);
}

Status read_scalar(const Json& json, std::string& value, const Place& place) {
  return read_held(json.as_string(), "a string", json, value, place);
}

Result<double> read_double(const Json& json, const Place& place) {
  return number_in(json, place, &Json::to_double);
}

Result<std::int64_t> read_signed(const Json& json, const Place& place) {
  return number_in(json, place, &Json::to_int);
}

Result<std::uint64_t> read_unsigned(const Json& json, const Place& place) {
  return number_in(json, place, &Json::to_uint);
}

Status read_fields(const Json& json, const std::vector<ReadEntry>& fields, const Place& place) {
  const Json::Object* object = json.as_object();
  if (object == nullptr) return wrong_kind(place, "an object", json);
  for (const auto& [key, ignored] : *object) {
    if (std::ranges::find(fields, key, &ReadEntry::name) == fields.end())
      return unknown_name(place, "field", key, names_of(fields));
  }
  for (const ReadEntry& field : fields) {
    const Json* found = json.find(field.name);
    if (found != nullptr) {
      HONE_TRY_DO(field.read(*found, field.member, Place{&place, field.name}));
    } else if (field.presence == Presence::required) {
      return missing_key(place, field.name);
    }
  }
  return done();
}

void write_fields(const std::vector<WriteEntry>& fields, Json& object) {
  for (const WriteEntry& field : fields) {
    Json value = field.write(field.member);
    if (field.presence != Presence::when_given || !value.is_null())
      object.set(field.name, std::move(value));
  }
}

void ReadCollector::add(const ReadEntry& entry) { fields.push_back(entry); }
void WriteCollector::add(const WriteEntry& entry) { fields.push_back(entry); }

template Status read<std::vector<std::string>>(const Json&, std::vector<std::string>&,
                                               const Place&);
template Json write<std::vector<std::string>>(const std::vector<std::string>&);

}  // namespace detail

Result<Json> open_document(const Json& document, std::int64_t schema_version) {
  const Json::Object* object = document.as_object();
  if (object == nullptr) return detail::wrong_kind({}, "an object", document);
  const Json* version = document.find("schema_version");
  if (version == nullptr) return detail::missing_key({}, "schema_version");
  if (*version != Json(schema_version)) {
    return fail(Fault::unsupported, "the document has schema_version " + version->dump(-1) +
                                        "; this program reads " + std::to_string(schema_version));
  }
  Json::Object fields = *object;
  std::erase_if(fields,
                [](const Json::Member& member) { return member.first == "schema_version"; });
  return Json(std::move(fields));
}

}  // namespace hone
