#include "app/search_arguments.h"

#include <gtest/gtest.h>

namespace hone::app {
namespace {

// From here on it is a number of the order: flow/search/search_test.cpp follows it to the gate.
TEST(SearchArguments, TakeTheSmallestDropAsItWasTyped) {
  SearchArguments arguments;
  Options options{"autoconfig"};
  declare_search(options, arguments);
  const Status read = options.read({"model.onnx", "-o", "search", "--max-drop", "1e-7"});
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(arguments.order.max_drop, 1e-7);
  EXPECT_TRUE(check(arguments));
}

}  // namespace
}  // namespace hone::app
