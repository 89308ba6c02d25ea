#pragma once
// Where something runs: what there is to run it with, and what was said of the target and the
// session. No more than was said: a build folder's recipe fills in the rest (flow/given_model.h).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/io_binding.h"

namespace hone {

// What hone has on a machine to run models with. Whoever starts it finds these (the program by its
// environment, an embedder by itself); all paths lead there from anywhere.
struct Host {
  std::string program;                              // whose workers run what may crash
  std::string own_library;                          // libhone_ep.so; empty: it is not there
  std::vector<std::string> ort;                     // ONNX Runtime libraries to try, in order
  std::map<std::string, std::string> ep_libraries;  // name -> plugin library
  std::vector<std::string> ep_folders;              // where EPs' own libraries are looked for
  std::string cache;                                // of stages; empty: none is kept
};
template <RecordOf<Host> Self>
void for_each_field(Self& host, auto&& field) {
  field("program", host.program);
  field("own_library", host.own_library);
  field("ort", host.ort);
  field("ep_libraries", host.ep_libraries);
  field("ep_folders", host.ep_folders);
  field("cache", host.cache);
}

struct Where {
  Host host;
  // As said: flow/where.h has what comes of it. Nothing said is the CPU; a device without an EP is
  // the best EP that this machine has for it.
  std::string ep;
  std::string device;
  std::map<std::string, std::string> ep_options;
  std::map<std::string, std::string> session_options;
  std::optional<std::int64_t> threads;
  std::optional<IoBinding> io_binding;
  std::optional<double> least_placement;  // 0 to 1: which share of the nodes the EP itself must run
};
template <RecordOf<Where> Self>
void for_each_field(Self& where, auto&& field) {
  field("host", where.host);
  field("ep", where.ep);
  field("device", where.device);
  field("ep_options", where.ep_options);
  field("session_options", where.session_options);
  field("threads", where.threads);
  field("io_binding", where.io_binding, Presence::when_given);
  field("least_placement", where.least_placement);
}

}  // namespace hone
