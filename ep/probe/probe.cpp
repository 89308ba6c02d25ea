#include "ep/probe/probe.h"

#include <memory>
#include <string>

#include "base/file.h"
#include "ep/graph.h"
#include "ep/probe/dump.h"

namespace hone::ep::probe {
namespace {

constexpr const char* name = "HoneProbe";

class Probe : public Provider {
 public:
  Probe(const SessionRequest& request, Path file)
      : Provider(request.ort, name), logger_(request.logger), file_(std::move(file)) {}

  // Called for the bodies of control-flow nodes as well, before the graph that holds them; the dump
  // of that one contains them.
  Status claim(const OrtGraph* graph, OrtEpGraphSupportInfo*) override {
    const Status written = write(graph);
    // An error returned from here is logged by ONNX Runtime and then forgotten as well.
    if (!written) log(ort_, logger_, error, "HoneProbe: " + written.error().what);
    return written;
  }

 private:
  Status write(const OrtGraph* graph) const {
    HONE_TRY(const bool is_top, is_top_level(ort_, graph));
    if (!is_top) return done();
    HONE_TRY(const ProbeDump dump, dump_graph(ort_, graph));
    return write_file(file_, to_document(dump, probe_graph_schema).dump() + "\n");
  }

  const OrtLogger* logger_;
  Path file_;
};

Result<std::unique_ptr<Provider>> open(const SessionRequest& request) {
  Path file;
  for (const auto& [key, value] : request.options) {
    if (key != "dump") {
      return fail(Fault::bad_input, "HoneProbe has no option '" + key + "'", {}, "it knows: dump");
    }
    file = value;
  }
  if (file.empty()) return fail(Fault::bad_input, "HoneProbe needs the option dump=FILE");
  // What claim() cannot write goes unnoticed, so a folder that is missing or not ours is found
  // here.
  HONE_TRY_DO(AtomicFile::create(file));
  std::unique_ptr<Provider> provider = std::make_unique<Probe>(request, std::move(file));
  return provider;
}

}  // namespace

ProviderKind kind() { return {name, false, open, nullptr}; }

}  // namespace hone::ep::probe
