#include "flow/host.h"

namespace hone {
namespace {

// Empty: it is not there.
std::string find_beside(const Path& program, const char* name) {
  const Path folder = program.parent_path();
  for (const Path& place : {folder, folder / "../lib/hone", folder / "../lib"}) {
    const Path candidate = (place / name).lexically_normal();
    if (std::filesystem::exists(candidate)) return candidate.string();
  }
  return {};
}

}  // namespace

Host host_around(const Path& program) {
  Host host;
  host.program = program.string();
  host.own_library = find_beside(program, "libhone_ep.so");
  if (std::string own = find_beside(program, "libonnxruntime.so.1"); !own.empty())
    host.ort.push_back(std::move(own));
  host.ort.emplace_back("libonnxruntime.so.1");
  host.ort.emplace_back("libonnxruntime.so");
  return host;
}

}  // namespace hone
