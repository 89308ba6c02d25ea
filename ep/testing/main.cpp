// The test program, and with --child a small host to crash and hang in the place of the tests.

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "ep/testing/host.h"

namespace hone::ep::testing {
namespace {

void reached(const std::string& what) { std::fprintf(stderr, "reached: %s\n", what.c_str()); }

Status run_as_child(const std::vector<std::string>& options) {
  Host& host = Host::get();
  if (!host.is_ready()) return fail(Fault::runtime, host.why_not());
  reached("registered");
  for (const auto& [type, name] :
       {std::pair(device_cpu, "cpu"), std::pair(device_gpu, "gpu"), std::pair(device_npu, "npu")}) {
    if (host.device("HoneSim", type)) reached(std::string("device ") + name);
  }
  Opening opening{.bytes = model_of("g (float[8] x) => (float[8] y) { y = Neg(x) }"),
                  .ep = "HoneSim"};
  for (const std::string& option : options) {
    const auto sign = option.find('=');
    opening.options.emplace_back(option.substr(0, sign), option.substr(sign + 1));
  }
  {
    HONE_TRY(Session session, host.open(opening));
    reached("opened");
    for (int i = 1; i <= 3; ++i) {
      HONE_TRY_DO(session.run({{"x", floats({8})}}));
      reached("run " + std::to_string(i));
    }
  }
  HONE_TRY_DO(host.close());
  reached("closed");
  return done();
}

}  // namespace
}  // namespace hone::ep::testing

int main(int count, char** arguments) {
  using namespace hone::ep::testing;
  if (count > 1 && std::string_view(arguments[1]) == "--child") {
    const hone::Status status = run_as_child({arguments + 2, arguments + count});
    if (!status) std::fprintf(stderr, "failed: %s\n", status.error().what.c_str());
    return status ? 0 : 1;
  }
  testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
