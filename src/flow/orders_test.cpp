// What orders refuse before anything runs, and that the options of the library are documented.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/file.h"
#include "flow/build.h"
#include "flow/compare.h"
#include "flow/debug.h"
#include "flow/host.h"
#include "flow/inspect.h"
#include "flow/optimize.h"
#include "flow/perf.h"
#include "flow/quantize.h"
#include "flow/search/search.h"
#include "flow/session.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(OptimizeOrders, AreRefusedWithoutAnOutputAndWithNoSamples) {
  OptimizeOrder order;
  order.model = "net.onnx";
  EXPECT_EQ(optimize_model(order, {}).error().what, "'output' names no file");
  order.output = "fast.onnx";
  order.samples = 0;
  EXPECT_EQ(optimize_model(order, {}).error().what, "'samples' cannot be 0");
  EXPECT_EQ(bisect_model(order, {}).error().what, "'samples' cannot be 0");
}

TEST(OptimizeOrders, AreRefusedForACapabilityThatThereIsNot) {
  OptimizeOrder order;
  order.model = "net.onnx";
  order.output = "fast.onnx";
  order.enabled = {"gelu-fusio"};
  const Error error = optimize_model(order, {}).error();
  EXPECT_EQ(error.fault, Fault::bad_input);
  EXPECT_THAT(error.hint, HasSubstr("gelu-fusion"));
}

TEST(DebugOrders, AreRefusedWithoutMemory) {
  DebugOrder order;
  order.memory_mib = 0;
  EXPECT_EQ(debug_model(order, {}).error().what, "'memory_mib' cannot be 0");
  order.samples = -1;
  EXPECT_EQ(debug_model(order, {}).error().what, "'samples' is a number of samples");
}

TEST(QuantizeOrders, AreRefusedForAPrecisionThatThereIsNot) {
  QuantizeOrder order;
  order.quantize.precisions = {"w9a9"};
  EXPECT_THAT(quantize_model(order, {}).error().what, HasSubstr("w9a9"));
}

TEST(Hosts, AreWhatLiesAroundTheProgram) {
  const TemporaryFolder folder = TemporaryFolder::create("host").value();
  const Path prefix = folder.path();
  std::filesystem::create_directories(prefix / "bin");
  std::filesystem::create_directories(prefix / "lib/hone");
  const Host bare = host_around(prefix / "bin/hone");
  EXPECT_EQ(bare.own_library, "");
  EXPECT_THAT(bare.ort, ElementsAre("libonnxruntime.so.1", "libonnxruntime.so"));
  for (const char* name : {"libhone_ep.so", "libonnxruntime.so.1"})
    ASSERT_TRUE(write_file(prefix / "lib/hone" / name, ""));
  const Host host = host_around(prefix / "bin/hone");
  EXPECT_EQ(host.program, (prefix / "bin/hone").string());
  EXPECT_EQ(host.own_library, (prefix / "lib/hone/libhone_ep.so").string());
  EXPECT_EQ(host.ort.front(), (prefix / "lib/hone/libonnxruntime.so.1").string());
  EXPECT_EQ(host.ort.size(), 3U);
}

// Arguments of calls, and the context's.
const std::set<std::string_view> no_options = {"model",       "output", "folder", "float_model",
                                               "quant_model", "recipe", "host"};

template <class Order>
void find_undocumented(const std::string& page, std::vector<std::string>& missing) {
  const Order order{};
  for_each_field(order, [&](std::string_view name, const auto&, auto...) {
    const bool is_named = page.find("`" + std::string(name) + "`") != std::string::npos ||
                          page.find("\"" + std::string(name) + "\"") != std::string::npos;
    if (!no_options.contains(name) && !is_named) missing.emplace_back(name);
  });
}

TEST(Documentation, NamesEveryOptionOfTheLibrary) {
  const std::string page = read_file(Path(HONE_SOURCE_DIR) / "docs/api.md").value();
  std::vector<std::string> missing;
  find_undocumented<InspectOrder>(page, missing);
  find_undocumented<OptimizeOrder>(page, missing);
  find_undocumented<QuantizeOrder>(page, missing);
  find_undocumented<BuildOrder>(page, missing);
  find_undocumented<DebugOrder>(page, missing);
  find_undocumented<CompareOrder>(page, missing);
  find_undocumented<CompareArm>(page, missing);
  find_undocumented<SearchOrder>(page, missing);
  find_undocumented<PerfOrder>(page, missing);
  find_undocumented<OpenSessionOrder>(page, missing);
  find_undocumented<Where>(page, missing);
  find_undocumented<Host>(page, missing);
  EXPECT_THAT(missing, IsEmpty()) << "docs/api.md lists the options of each call";
}

}  // namespace
}  // namespace hone
