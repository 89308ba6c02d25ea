#pragma once
// One run from file to file, as a worker does it for who wants the outputs and not the time.

#include "base/file.h"
#include "record/worker.h"
#include "runtime/session.h"

namespace hone {

// Reads an .npz with an array per input, runs, and writes an array per output. Outputs of a type
// that NumPy does not have are written in one that holds all their values; sequences, maps and the
// smallest floats are left out, and what is said of them says so.
Result<WorkerAnswered> run_on_file(const Runtime& runtime, const Session& session,
                                   const Path& inputs, const Path& outputs);

}  // namespace hone
