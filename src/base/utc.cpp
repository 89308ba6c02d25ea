#include "base/utc.h"

#include <ctime>

namespace hone {
namespace {

std::string now_as(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof text, format, &utc)};
}

}  // namespace

std::string utc_now() { return now_as("%Y-%m-%dT%H:%M:%SZ"); }
std::string utc_today() { return now_as("%Y-%m-%d"); }

}  // namespace hone
