#pragma once
// From an optrace of QNN to QHAS: the profile viewer of Qualcomm's SDK, and the files it needs.

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "base/file.h"
#include "measure/trace/snapshot.h"

namespace hone {

// The viewer of an SDK with the reader it takes, for this machine.
struct QnnViewer {
  Path program;
  Path reader;
};

// `arch` is the machine's, "x86_64". Fails when the SDK is not set up or has no viewer for it.
Result<QnnViewer> find_qnn_viewer(const Path& sdk, const std::string& arch);

// The schematic of the compiled graph. QNN leaves it beside the model or where the process runs,
// named after the partition; which one belongs to this run must be unambiguous.
class SchematicFinder {
 public:
  // Remembers what is in the work folder before the session: an older schematic there is not this
  // session's.
  SchematicFinder(const Path& output_folder, const Path& model, const Path& work_folder);
  Result<Path> find() const;

 private:
  struct Seen {
    Path path;
    FileSnapshot snapshot;
  };
  Path output_folder_;
  Path model_folder_;
  Path work_folder_;
  std::vector<Seen> before_;
};

// Why there is no QHAS: a word that scripts know, and what happened.
struct NoQhas {
  std::string reason;
  std::string detail;
};

struct QhasRequest {
  QnnViewer viewer;
  Path log;
  Path schematic;
  Path folder;  // for what the viewer writes
  std::chrono::milliseconds limit{60'000};
};

// Runs the viewer and gives the file it made.
std::variant<Path, NoQhas> make_qhas(const QhasRequest& request);

}  // namespace hone
