#pragma once
// The machine a result was obtained on. A number without it means nothing.

#include <cstdint>
#include <string>

#include "record/fields.h"

namespace hone {

struct Machine {
  std::string os;          // "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;      // "6.1.0-18-amd64"
  std::string arch;        // "x86_64"
  std::string cpu;         // "AMD EPYC 7B13"
  std::int64_t cores = 0;  // logical, usable by this process
  std::uint64_t memory_bytes = 0;
};

template <RecordOf<Machine> Self>
void for_each_field(Self& machine, auto&& field) {
  field("os", machine.os);
  field("kernel", machine.kernel);
  field("arch", machine.arch);
  field("cpu", machine.cpu);
  field("cores", machine.cores);
  field("memory_bytes", machine.memory_bytes);
}

}  // namespace hone
