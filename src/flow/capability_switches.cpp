#include "flow/capability_switches.h"

#include "base/misuse.h"
#include "transform/capability.h"

namespace hone {

Status add_switches_of(const Path& file, OptimizeOrder& order) {
  HONE_TRY(const std::string text, read_file(file));
  HONE_TRY(const Json document, Json::parse(text));
  const Json* flags = &document;
  for (const char* key : {"optim", "capabilities"}) {
    if (const Json* inner = document.find(key)) flags = inner;
  }
  if (flags->as_object() == nullptr) {
    return fail(Fault::bad_input, "'" + file.string() + "' holds no capabilities",
                "it is no JSON object", R"(write it as {"gelu_fusion": true})");
  }
  for (const auto& [name, value] : *flags->as_object()) {
    HONE_TRY(const Capability* capability, find_capability(name));
    const bool* is_on = value.as_bool();
    if (is_on == nullptr)
      return misuse("'" + name + "' in '" + file.string() + "' is neither true nor false", {});
    (*is_on ? order.enabled : order.disabled).emplace_back(capability->name);
  }
  return done();
}

Json switches_for(const Analysis& analysis) {
  Json flags = Json::object();
  for (const Suggestion& suggestion : analysis.suggestions) flags.set(suggestion.capability, true);
  return Json::object().set("optim", std::move(flags));
}

}  // namespace hone
