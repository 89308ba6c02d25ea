#pragma once
// The facts of a machine (base/machine.h) as JSON, and the few of them that every result carries.

#include "base/machine.h"
#include "record/fields.h"
#include "record/machine.h"

namespace hone {

template <RecordOf<CpuFacts> Self>
void for_each_field(Self& cpu, auto&& field) {
  field("model", cpu.model);
  field("online", cpu.online);
  field("allowed", cpu.allowed);
  field("quota", cpu.quota);
  field("physical", cpu.physical);
  field("smt_active", cpu.has_active_smt);
  field("numa_nodes", cpu.numa_nodes);
  field("governors", cpu.governors);
  field("current_mhz", cpu.current_mhz);
  field("most_mhz", cpu.most_mhz);
  field("allowed_mhz", cpu.allowed_mhz);
  field("may_boost", cpu.may_boost);
}

template <RecordOf<MemoryFacts> Self>
void for_each_field(Self& memory, auto&& field) {
  field("total_bytes", memory.total_bytes);
  field("available_bytes", memory.available_bytes);
  field("limit_bytes", memory.limit_bytes);
  field("swap_total_bytes", memory.swap_total_bytes);
  field("swap_used_bytes", memory.swap_used_bytes);
}

template <RecordOf<LoadFacts> Self>
void for_each_field(Self& load, auto&& field) {
  field("one_minute", load.one_minute);
  field("five_minutes", load.five_minutes);
  field("fifteen_minutes", load.fifteen_minutes);
}

template <RecordOf<PressureFacts> Self>
void for_each_field(Self& pressure, auto&& field) {
  field("cpu", pressure.cpu);
  field("memory", pressure.memory);
  field("io", pressure.io);
}

template <RecordOf<TemperatureFacts> Self>
void for_each_field(Self& temperature, auto&& field) {
  field("sensor", temperature.sensor);
  field("celsius", temperature.celsius);
  field("limit_celsius", temperature.limit_celsius);
}

template <RecordOf<MachineFacts> Self>
void for_each_field(Self& machine, auto&& field) {
  field("os", machine.os);
  field("kernel", machine.kernel);
  field("arch", machine.arch);
  field("board", machine.board);
  field("cpu", machine.cpu);
  field("memory", machine.memory);
  field("load", machine.load);
  field("pressure", machine.pressure);
  field("temperatures", machine.temperatures);
  field("thermal_throttle_events", machine.thermal_throttle_events);
  field("on_battery", machine.is_on_battery);
  field("hypervisor", machine.hypervisor);
}

inline Machine machine_of(const MachineFacts& facts) {
  Machine machine;
  machine.os = facts.os;
  machine.kernel = facts.kernel;
  machine.arch = facts.arch;
  machine.cpu = facts.cpu.model;
  machine.cores = facts.cpu.usable();
  machine.memory_bytes = facts.memory.usable_bytes();
  return machine;
}

}  // namespace hone
