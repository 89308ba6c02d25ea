#pragma once
// Whose fault it is that a command of a climb did not answer: the recipe's, this machine's or
// hone's own.

#include <chrono>

#include "app/where.h"
#include "record/support.h"

namespace hone::app {

// Why a target does not run a model that others do.
RunClass class_of_failure(const Where& where, const Target& target, std::chrono::seconds limit);

// The verdict of a tier whose command failed with `error`. What the recipe cannot help is no fail.
void settle_failure(TierProof& tier, const Error& error, RunClass fault = RunClass::recipe);

// Makes the tier wait for a hone that can do this.
void block_by_hone(TierProof& tier, std::string reason);

}  // namespace hone::app
