#pragma once
// What spoils measurements on this machine, or what an EP lacks here.

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "flow/watch.h"
#include "record/doctor.h"
#include "record/where.h"

namespace hone {

using EnvironmentVariable = std::function<std::optional<std::string>(const std::string& name)>;

Diagnosis diagnose_machine(const Host& host, const Watch& watch);

// The EP by any of its names. Its libraries, and those it needs, are loaded by workers.
Result<Diagnosis> diagnose_ep(const Host& host, const std::string& name,
                              const EnvironmentVariable& variable, const Watch& watch);

}  // namespace hone
