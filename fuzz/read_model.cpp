// Any bytes at all, read as a model. What is read must survive a round trip: same text of bytes,
// same fingerprint.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "model/edit.h"
#include "model/fingerprint.h"
#include "model/model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hone;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  auto model = parse_model(Blob::borrow(bytes), "/nonexistent");
  if (!model) return 0;
  const auto written = serialize(*model);
  const auto again = parse_model(Blob::borrow(*written), "/nonexistent");
  if (!again || *serialize(*again) != *written) std::abort();
  if (structure_fingerprint(*again) != structure_fingerprint(*model)) std::abort();
  const Model copy = clone(*model);
  if (*serialize(copy) != *written) std::abort();
  if (sort_topologically(*model->graph)) {
    if (structure_fingerprint(*model) != structure_fingerprint(copy)) std::abort();
  }
  remove_dead_nodes(*model->graph);
  remove_unused_initializers(*model->graph);
  if (!serialize(*model)) std::abort();
  return 0;
}
