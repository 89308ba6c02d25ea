#pragma once
// The evidence of a cell: what it was made from, what was measured of it, and where.

#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "record/evidence.h"

namespace hone {

struct EvidenceMachine {
  std::map<std::string, std::string> facts;
  std::optional<NoiseCertificate> certificate;
};

// REQUIRES: the cell is done.
Result<CellEvidence> evidence_of(const CellOrder& order, const CellOutcome& outcome,
                                 const EvidenceMachine& machine);

}  // namespace hone
