#include "app/version.h"

namespace hone::app {

std::string version_number() { return HONE_VERSION; }
std::string version_text() { return "hone " HONE_VERSION "\n"; }

Json version_document() {
  Json document = Json::object();
  document.set("schema_version", 1);
  document.set("version", HONE_VERSION);
  return document;
}

}  // namespace hone::app
