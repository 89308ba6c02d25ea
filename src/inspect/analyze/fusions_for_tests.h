#pragma once
// Candidates of small models, for tests.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "inspect/analyze/fusions.h"
#include "model/text/text.h"

namespace hone {

// How often the capability would find something to do in a graph of that opset.
inline std::uint64_t count_in(std::string_view capability, std::string_view graph, int opset = 20) {
  const std::string head = "<ir_version: 10, opset_import: [\"\" : " + std::to_string(opset) +
                           ", \"com.microsoft\" : 1]>\n";
  auto model = parse_text(head + std::string(graph));
  EXPECT_TRUE(model) << model.error().what << ": " << model.error().cause;
  if (!model) return 999;
  const auto fusions = find_fusions(*model);
  EXPECT_TRUE(fusions) << fusions.error().what;
  if (!fusions) return 999;
  std::string name(capability);
  std::ranges::replace(name, '-', '_');
  const auto found = std::ranges::find(*fusions, name, &FusionCandidate::capability);
  return found != fusions->end() ? found->count : 0;
}

}  // namespace hone
