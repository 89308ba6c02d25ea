#include "ep/sim/faults.h"

#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <string_view>

namespace hone::ep::sim {
namespace {

// Dies of the signal itself, whatever handlers the host has installed.
[[noreturn]] void crash() {
  std::signal(SIGSEGV, SIG_DFL);
  std::raise(SIGSEGV);
  std::abort();
}

[[noreturn]] void hang() {
  for (;;) ::pause();
}

void print(std::string_view line) {
  // Past every buffer of the host, as a vendor's native library would.
  [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, line.data(), line.size());
}

std::string_view name_of(Stage stage) {
  switch (stage) {
    case Stage::create:
      return "create";
    case Stage::compile:
      return "compile";
    case Stage::run:
      return "run";
  }
  return "";
}

}  // namespace

Result<Moment> parse_moment(const std::string& option, const std::string& text) {
  if (text == "create") return Moment{Stage::create};
  if (text == "compile") return Moment{Stage::compile};
  constexpr std::string_view run = "run:";
  if (text.starts_with(run)) {
    Moment moment{Stage::run};
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + run.size(), end, moment.run);
    if (parsed.ec == std::errc() && parsed.ptr == end && moment.run > 0) return moment;
  }
  return fail(Fault::bad_input, "HoneSim: " + option + "=" + text + " names no moment", {},
              "it is create, compile or run:N with N from 1; HONE_SIM_CRASH=register in the "
              "environment crashes at registration");
}

void Faults::pass(Moment now) const {
  if (prints_on_stdout) print("HoneSim: " + std::string(name_of(now.stage)) + "\n");
  if (crash == now) sim::crash();
  if (hang == now) sim::hang();
}

Status fail_at_registration() {
  const char* wish = std::getenv("HONE_SIM_CRASH");
  if (!wish || !*wish) return done();
  if (std::string_view(wish) == "register") crash();
  return fail(Fault::bad_input, "HONE_SIM_CRASH=" + std::string(wish) + " is not understood", {},
              "the only value is register");
}

}  // namespace hone::ep::sim
