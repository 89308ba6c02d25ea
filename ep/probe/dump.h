#pragma once
// An OrtGraph with all graphs below it as a record.

#include "base/result.h"
#include "ep/ort.h"
#include "record/probe_graph.h"

namespace hone::ep::probe {

Result<ProbeDump> dump_graph(const Ort& ort, const OrtGraph* graph);

}  // namespace hone::ep::probe
