#include "flow/transform_tools.h"

namespace hone {

Result<TransformTools> make_tools(const Host& host, const Watch& watch) {
  TransformTools tools;
  HONE_TRY(tools.runtime, Runtime::load(host.ort));
  if (host.own_library.empty()) {
    return fail(Fault::not_found, Trouble::absent, "libhone_ep.so is not beside hone", {},
                "it comes with hone: make build, or make install");
  }
  tools.probe_library = host.own_library;
  tools.progress = [watch](const std::string& what) { watch.step(what); };
  return tools;
}

}  // namespace hone
