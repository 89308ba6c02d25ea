#include "ep/ort.h"

#include <algorithm>
#include <charconv>

namespace hone::ep {

int minor_of(const std::string& version) {
  if (!version.starts_with("1.")) return 0;
  int minor = 0;
  std::from_chars(version.data() + 2, version.data() + version.size(), minor);
  return minor;
}

Ort read_ort(const ApiBase& base) {
  Ort ort;
  ort.version = base.GetVersionString();
  ort.minor = minor_of(ort.version);
  // A library answers for its own version and every older one, always with the same table.
  ort.api = read_api(base.GetApi(static_cast<std::uint32_t>(ort.minor)), ort.minor);
  ort.ep = read_ep_api(reinterpret_cast<Table>(ort.api.GetEpApi()), ort.minor);
  ort.editor =
      read_model_editor_api(reinterpret_cast<Table>(ort.api.GetModelEditorApi()), ort.minor);
  return ort;
}

Status check(const Ort& ort, OrtStatus* status) {
  if (!status) return done();
  std::string message = ort.api.GetErrorMessage(status);
  ort.api.ReleaseStatus(status);
  return fail(Fault::runtime, std::move(message));
}

OrtStatus* to_status(const Ort& ort, const Error& error) {
  std::string message = error.what;
  if (!error.cause.empty()) message += ": " + error.cause;
  if (!error.hint.empty()) message += "; " + error.hint;
  const bool is_callers = error.fault == Fault::bad_input || error.fault == Fault::not_found;
  return ort.api.CreateStatus(is_callers ? invalid_argument : ep_fail, message.c_str());
}

KeyValues to_pairs(const Ort& ort, const OrtKeyValuePairs* pairs) {
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  std::size_t count = 0;
  ort.api.GetKeyValuePairs(pairs, &keys, &values, &count);
  KeyValues entries;
  for (std::size_t i = 0; i < count; ++i) entries.emplace_back(keys[i], values[i]);
  return entries;
}

Result<KeyValues> session_config(const Ort& ort, const OrtSessionOptions* options) {
  HONE_TRY(const auto entries,
           make<OrtKeyValuePairs>(ort, ort.api.ReleaseKeyValuePairs,
                                  ort.api.GetSessionOptionsConfigEntries, options));
  return to_pairs(ort, entries.get());
}

KeyValues below(const KeyValues& entries, std::string_view prefix) {
  KeyValues found;
  for (const auto& [key, value] : entries) {
    if (key.starts_with(prefix)) found.emplace_back(key.substr(prefix.size()), value);
  }
  return found;
}

const std::string* find(const KeyValues& entries, std::string_view key) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.first == key; });
  return found == entries.end() ? nullptr : &found->second;
}

void log(const Ort& ort, const OrtLogger* logger, Severity severity, const std::string& message) {
  OrtStatus* status =
      ort.api.Logger_LogMessage(logger, severity, message.c_str(), "hone_ep", 0, "hone");
  if (status) ort.api.ReleaseStatus(status);
}

}  // namespace hone::ep
