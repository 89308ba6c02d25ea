#pragma once
// What a machine offers to run models on: its facts, the ONNX Runtime libraries that were tried,
// the EPs with their status, the devices.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/machine_facts.h"
#include "record/target.h"

namespace hone {

inline constexpr std::int64_t system_schema_version = 1;

// One place where ONNX Runtime was looked for.
struct OrtLibrary {
  std::string asked;                   // a path, or a name for the system's loader
  std::optional<std::string> path;     // where it was found
  std::optional<std::string> version;  // no value: it cannot be used, for `reason`
  bool is_used = false;                // the first of those that can be
  std::string reason;
};
template <RecordOf<OrtLibrary> Self>
void for_each_field(Self& library, auto&& field) {
  field("asked", library.asked);
  field("path", library.path);
  field("version", library.version);
  field("used", library.is_used);
  field("reason", library.reason);
}

struct System {
  MachineFacts machine;
  std::vector<OrtLibrary> ort_libraries;
  std::vector<EpStatus> eps;
  std::vector<Device> devices;

  // The ONNX Runtime in use, or null.
  const OrtLibrary* runtime() const {
    for (const OrtLibrary& library : ort_libraries) {
      if (library.is_used) return &library;
    }
    return nullptr;
  }
};
template <RecordOf<System> Self>
void for_each_field(Self& system, auto&& field) {
  field("machine", system.machine);
  field("ort_libraries", system.ort_libraries);
  field("eps", system.eps);
  field("devices", system.devices);
}

// What a session option takes: one of a few words, a whole number, or a text that ONNX Runtime
// reads by itself.
enum class OptionKind { word, number, text };
constexpr auto enum_names(OptionKind) {
  return std::to_array<EnumName<OptionKind>>(
      {{OptionKind::word, "word"}, {OptionKind::number, "number"}, {OptionKind::text, "text"}});
}

struct SessionOption {
  std::string key;
  OptionKind kind = OptionKind::text;
  std::vector<std::string> values;  // the words
};
template <RecordOf<SessionOption> Self>
void for_each_field(Self& option, auto&& field) {
  field("key", option.key);
  field("kind", option.kind);
  field("values", option.values);
}

struct SessionOptionList {
  std::vector<SessionOption> session_options;
};
template <RecordOf<SessionOptionList> Self>
void for_each_field(Self& list, auto&& field) {
  field("session_options", list.session_options);
}

}  // namespace hone
