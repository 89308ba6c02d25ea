#include "app/errors.h"

#include "record/exit_code.h"
#include "record/fault.h"
#include "report/error_text.h"

namespace hone::app {
namespace {

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

ExitCode exit_code_for(Fault fault) { return static_cast<ExitCode>(exit_code_of(fault)); }

std::string to_text(const Error& error, const Style& style) {
  return style.red("error:") + describe_error(error);
}

Json to_document(const Error& error) {
  Json body = Json::object();
  body.set("fault", name_of(error.fault));
  body.set("what", error.what);
  body.set("cause", text_or_null(error.cause));
  body.set("hint", text_or_null(error.hint));
  Json document = Json::object();
  document.set("schema_version", 1);
  document.set("error", std::move(body));
  return document;
}

ExitCode report(const Error& error, const Settings& settings) {
  write_to_stderr(to_text(error, Style(settings.color_on_stderr)));
  if (settings.format == Format::json) {
    // When stdout itself is what failed, stderr has said so.
    (void)write_to_stdout(to_document(error).dump() + "\n");
  }
  return exit_code_for(error.fault);
}

}  // namespace hone::app
