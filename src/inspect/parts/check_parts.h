#pragma once
// The graphs of a checkpoint as they lie in a folder, opened and run by ONNX Runtime: on the inputs
// of a reference where there is one, and compared with it; else on seeded ones of small sizes.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "record/export.h"

namespace hone {

class Runtime;

struct PartFile {
  std::string part;
  std::string file;
};
template <RecordOf<PartFile> Self>
void for_each_field(Self& one, auto&& field) {
  field("part", one.part);
  field("file", one.file);
}

struct PartsToCheck {
  std::vector<PartFile> parts;    // in the order in which they run
  Path reference;                 // empty: there is none
  double most_share = 0;          // of the largest value: what an output may be off
  bool may_lack_kernels = false;  // the CPU need not have kernels of the type
  std::uint64_t seed = 0;
};

// A part that cannot be opened or run fails with its name. Differences are told, and not judged.
Result<ExportChecked> check_parts(const std::shared_ptr<Runtime>& runtime,
                                  const PartsToCheck& wanted);

}  // namespace hone
