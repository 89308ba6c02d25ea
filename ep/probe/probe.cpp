#include "ep/probe/probe.h"

#include <memory>
#include <string>

#include "base/file.h"
#include "ep/graph.h"
#include "ep/probe/dump.h"

namespace hone::ep::probe {
namespace {

constexpr const char* name = "HoneProbe";

struct Options {
  Path file;
  bool stops = false;  // after the dump, before ONNX Runtime loads a weight
};

class Probe : public Provider {
 public:
  Probe(const SessionRequest& request, Options options)
      : Provider(request.ort, name), logger_(request.logger), options_(std::move(options)) {}

  // Called for the bodies of control-flow nodes as well, before the graph that holds them; the dump
  // of that one contains them.
  Status claim(const OrtGraph* graph, OrtEpGraphSupportInfo* support) override {
    HONE_TRY(const bool is_top, is_top_level(ort_, graph));
    if (!is_top) return done();
    const Status written = write(graph);
    // An error returned from here is logged by ONNX Runtime and then forgotten as well.
    if (!written) log(ort_, logger_, error, "HoneProbe: " + written.error().what);
    return written && options_.stops ? claim_first(graph, support) : written;
  }

 private:
  // What is claimed must be compiled; compiling fails, and with it the session, at once.
  Status claim_first(const OrtGraph* graph, OrtEpGraphSupportInfo* support) const {
    HONE_TRY(const std::vector<GraphNode> nodes, read_nodes(ort_, graph));
    if (nodes.empty()) return done();
    const OrtNode* const first = nodes.front().handle;
    const OrtNodeFusionOptions fusion{.drop_constant_initializers = true};
    return check(ort_, ort_.ep.EpGraphSupportInfo_AddNodesToFuse(support, &first, 1, &fusion));
  }

  Status write(const OrtGraph* graph) const {
    HONE_TRY(const ProbeDump dump, dump_graph(ort_, graph));
    return write_file(options_.file, to_document(dump, probe_graph_schema).dump() + "\n");
  }

  const OrtLogger* logger_;
  Options options_;
};

Result<std::unique_ptr<Provider>> open(const SessionRequest& request) {
  Options options;
  for (const auto& [key, value] : request.options) {
    if (key == "dump") {
      options.file = value;
    } else if (key == "stop") {
      options.stops = value == "1";
    } else {
      return fail(Fault::bad_input, "HoneProbe has no option '" + key + "'", {},
                  "it knows: dump, stop");
    }
  }
  if (options.file.empty()) return fail(Fault::bad_input, "HoneProbe needs the option dump=FILE");
  // What claim() cannot write goes unnoticed, so a folder that is missing or not ours is found
  // here.
  HONE_TRY_DO(AtomicFile::create(options.file));
  std::unique_ptr<Provider> provider = std::make_unique<Probe>(request, std::move(options));
  return provider;
}

}  // namespace

ProviderKind kind() { return {name, false, open, nullptr}; }

}  // namespace hone::ep::probe
