#pragma once
// Whose fault it is that a job of a climb did not answer: the recipe's, this machine's or hone's
// own.

#include "record/support.h"
#include "record/system.h"
#include "record/where.h"

namespace hone {

// Why a target does not run a model that others do.
RunClass class_of_failure(const Error& error, const Host& host, const Target& target);
// The same of a machine that was looked at.
RunClass class_of_failure(const System& system, const Target& target);

// The verdict of a tier one of whose jobs failed with `error`. What the recipe cannot help is no
// fail.
void settle_failure(TierProof& tier, const Error& error, RunClass fault = RunClass::recipe);

// Makes the tier wait for a hone that can do this.
void block_by_hone(TierProof& tier, std::string reason);

}  // namespace hone
