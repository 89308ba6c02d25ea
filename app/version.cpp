#include "app/version.h"

#include "flow/version.h"

namespace hone::app {

std::string version_text() { return "hone " + version_number() + "\n"; }

Json version_document() {
  Json document = Json::object();
  document.set("schema_version", 1);
  document.set("version", version_number());
  return document;
}

}  // namespace hone::app
