#include "api/border.h"
#include "api/handles.h"
#include "record/exit_code.h"
#include "record/fault.h"
#include "report/error_text.h"

namespace hone::api {

hone_code hand_out(hone_code code, const Error& error, hone_error** place) noexcept {
  if (place == nullptr) return code;
  try {
    auto made = std::make_unique<hone_error>();
    made->code = code;
    made->kind = code == HONE_STOPPED ? "stopped" : std::string(name_of(error.fault));
    made->error = error;
    made->text = "error:" + describe_error(error);
    *place = made.release();
  } catch (...) {
    *place = nullptr;  // no memory for an error either: the code is all there is to tell
  }
  return code;
}

hone_code hand_out(const Error& error, hone_error** place) noexcept {
  return hand_out(static_cast<hone_code>(exit_code_of(error.fault)), error, place);
}

}  // namespace hone::api

const char* hone_version(void) { return HONE_VERSION; }

// Where there is no error object, nothing went wrong, or there was no memory to say what.
hone_code hone_error_code(const hone_error* error) {
  return error != nullptr ? error->code : HONE_DONE;
}
const char* hone_error_kind(const hone_error* error) {
  return error != nullptr ? error->kind.c_str() : "";
}
const char* hone_error_what(const hone_error* error) {
  return error != nullptr ? error->error.what.c_str() : "";
}
const char* hone_error_cause(const hone_error* error) {
  return error != nullptr ? error->error.cause.c_str() : "";
}
const char* hone_error_hint(const hone_error* error) {
  return error != nullptr ? error->error.hint.c_str() : "";
}
const char* hone_error_text(const hone_error* error) {
  return error != nullptr ? error->text.c_str() : "";
}
void hone_error_free(hone_error* error) { delete error; }
