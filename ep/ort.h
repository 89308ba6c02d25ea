#pragma once
// ONNX Runtime as our library sees it from inside: the tables it was handed at registration, and
// the border between its statuses and our Results.

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ep/ep_abi.h"

namespace hone::ep {

using namespace hone::ort;  // the types are ONNX Runtime's own words; a prefix would repeat "Ort"

struct Ort {
  Api api;
  EpApi ep;
  ModelEditorApi editor;
  std::string version;  // "1.30.0"
  int minor = 0;
};

// The oldest version with all that both providers need.
inline constexpr int oldest_minor = 23;

// REQUIRES: 1.22 or newer; older ones have no plugins and never ask.
Ort read_ort(const ApiBase& base);
// 30 for "1.30.0"; 0 when it is no version of ours to know.
int minor_of(const std::string& version);

// Takes the status: frees it, and hands on what it said.
Status check(const Ort& ort, OrtStatus* status);

// An Error as ONNX Runtime wants it. A hint follows on the same line, since hosts print one line.
OrtStatus* to_status(const Ort& ort, const Error& error);

// The edge of a callback: what `work` (returning a Status) reports or throws becomes an OrtStatus.
template <class Work>
OrtStatus* answer(const Ort& ort, Work&& work) noexcept {
  try {
    const Status status = std::forward<Work>(work)();
    return status ? nullptr : to_status(ort, status.error());
  } catch (const std::exception& problem) {
    return to_status(ort, {Fault::runtime, "unexpected problem", problem.what()});
  }
}

// Calls a function of the table whose last parameter receives the answer.
template <class T, class Function, class... Arguments>
Result<T> ask(const Ort& ort, Function function, Arguments... arguments) {
  T answered{};
  HONE_TRY_DO(check(ort, function(arguments..., &answered)));
  return answered;
}

// Calls a pair of functions: how many there are, and all of them.
template <class T, class Object, class Count, class List>
Result<std::vector<T>> ask_all(const Ort& ort, const Object* object, Count count, List list) {
  HONE_TRY(const auto size, ask<std::size_t>(ort, count, object));
  std::vector<T> all(size);
  if (size > 0) HONE_TRY_DO(check(ort, list(object, all.data(), size)));
  return all;
}

// An object of ONNX Runtime and the function that frees it.
template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

// The same for a function that makes something we own.
template <class T, class Function, class... Arguments>
Result<Owned<T>> make(const Ort& ort, void (*release)(T*), Function function,
                      Arguments... arguments) {
  T* made = nullptr;
  HONE_TRY_DO(check(ort, function(arguments..., &made)));
  return Owned<T>(made, release);
}

using KeyValues = std::vector<std::pair<std::string, std::string>>;
KeyValues to_pairs(const Ort& ort, const OrtKeyValuePairs* pairs);
// All that the session was configured with.
Result<KeyValues> session_config(const Ort& ort, const OrtSessionOptions* options);
// The entries below a prefix, without it.
KeyValues below(const KeyValues& entries, std::string_view prefix);
// The value, or null when there is none.
const std::string* find(const KeyValues& entries, std::string_view key);

void log(const Ort& ort, const OrtLogger* logger, Severity severity, const std::string& message);

}  // namespace hone::ep
