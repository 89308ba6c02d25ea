#include "record/fields.h"

#include "base/text.h"

namespace hone {
namespace detail {
namespace {

// "'inputs[2].name'", or "the document" for the whole of it.
std::string named(const Place& place) {
  const std::string text = place.text();
  return text.empty() ? "the document" : "'" + text + "'";
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
  return fail(Fault::bad_input,
              "unknown " + std::string(what) + " '" + printable(name) + "' in " + named(place), {},
              nearest_name.empty() ? "known are: " + join(known, ", ")
                                   : "did you mean '" + nearest_name + "'?");
}

Failure missing_key(const Place& place, std::string_view key) {
  return fail(Fault::bad_input, named(place) + " has no '" + std::string(key) + "'");
}

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
