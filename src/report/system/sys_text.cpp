#include "report/system/sys_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "base/text.h"
#include "report/system/reason.h"
#include "report/trace/text.h"

namespace hone {
namespace {

using text_form::columns;
using text_form::essence;
using text_form::fixed;
using text_form::Row;

// Paths are shown whole: they are there to be copied.
constexpr std::size_t any_width = 1000;

std::string all_left(const std::vector<Row>& rows) { return columns(rows, any_width, "1234"); }

std::string joined(std::vector<std::string> parts) {
  std::erase(parts, "");
  return join(parts, ", ");
}

std::string cpu_line(const CpuFacts& cpu) {
  std::string usable = std::to_string(cpu.usable()) + " of " + std::to_string(cpu.online) + " CPUs";
  if (cpu.quota) usable += " (quota " + fixed(*cpu.quota, 1) + ")";
  return joined({cpu.model, usable});
}

std::string memory_line(const MemoryFacts& memory) {
  std::string text = format_bytes(memory.usable_bytes());
  if (memory.available_bytes)
    text += ", " + format_bytes(std::min(*memory.available_bytes, memory.usable_bytes())) + " free";
  return text;
}

std::string hypervisor_name(const MachineFacts& machine) {
  const std::string name = machine.hypervisor.value_or("");
  return name == "unknown" ? "there is one that does not tell its name" : name;
}

std::string machine_text(const MachineFacts& machine) {
  std::vector<Row> rows = {{"system", joined({machine.os, machine.kernel, machine.arch})},
                           {"board", machine.board},
                           {"CPU", cpu_line(machine.cpu)},
                           {"memory", memory_line(machine.memory)},
                           {"hypervisor", hypervisor_name(machine)}};
  std::erase_if(rows, [](const Row& row) { return row[1].empty(); });
  return "machine\n" + all_left(rows);
}

std::string runtimes_text(const std::vector<OrtLibrary>& libraries) {
  std::vector<Row> rows;
  for (const OrtLibrary& library : libraries) {
    const std::string remark = library.is_used   ? "in use"
                               : library.version ? "another one is in use"
                                                 : essence(library.reason);
    rows.push_back({library.version.value_or("-"), library.path.value_or(library.asked), remark});
  }
  return "ONNX Runtime\n" + all_left(rows);
}

// "libhone_ep.so: killed by SIGSEGV", or one of the two.
std::string remark_on(const EpStatus& ep) {
  const std::string library = std::filesystem::path(ep.library).filename().string();
  const std::string reason = essence(ep.reason);
  return library + (library.empty() || reason.empty() ? "" : ": ") + reason;
}

std::string eps_text(const std::vector<EpStatus>& eps) {
  std::vector<Row> rows;
  for (const EpStatus& ep : eps) {
    rows.push_back({ep.name, std::string(name_of(ep.state)),
                    ep.device_types.empty() ? "-" : join(ep.device_types, ", "), remark_on(ep)});
  }
  return "EPs\n" + all_left(rows);
}

std::string hex(std::uint64_t number) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return "0x" + std::string(digits.data(), end.ptr);
}

std::string devices_text(const std::vector<Device>& devices) {
  std::vector<Row> rows;
  for (const Device& device : devices) {
    const auto version = device.metadata.find("version");
    rows.push_back({device.type, device.ep, version == device.metadata.end() ? "" : version->second,
                    joined({device.hardware_vendor, "vendor " + hex(device.vendor_id),
                            "device " + hex(device.device_id)})});
  }
  return rows.empty() ? "" : "\ndevices\n" + all_left(rows);
}

std::string advice(const System& system) {
  const bool has_failed =
      std::ranges::find(system.eps, EpState::failed, &EpStatus::state) != system.eps.end();
  return has_failed ? "\n`hone doctor EP` says what an EP lacks and what to do.\n" : "";
}

std::string taken_by(const SessionOption& option) {
  switch (option.kind) {
    case OptionKind::word:
      return join(option.values, ", ");
    case OptionKind::number:
      return "a whole number";
    case OptionKind::text:
      return "";
  }
  return "";
}

}  // namespace

std::string describe_system(const System& system) {
  return machine_text(system.machine) + "\n" + runtimes_text(system.ort_libraries) + "\n" +
         eps_text(system.eps) + devices_text(system.devices) + advice(system);
}

std::string describe_session_options(const SessionOptionList& list) {
  std::vector<Row> ours;
  std::vector<Row> handed_on;
  for (const SessionOption& option : list.session_options) {
    if (option.kind == OptionKind::text) {
      handed_on.push_back({option.key});
    } else {
      ours.push_back({option.key, taken_by(option)});
    }
  }
  return all_left(ours) + "\nkeys of ONNX Runtime, which reads their values by itself\n" +
         all_left(handed_on);
}

}  // namespace hone
