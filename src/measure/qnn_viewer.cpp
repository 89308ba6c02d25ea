#include "measure/qnn_viewer.h"

#include <algorithm>

#include "base/folder.h"
#include "base/process.h"
#include "base/system_files.h"
#include "base/text.h"

namespace hone {
namespace {

constexpr std::string_view schematic_suffix = "_schematic.bin";
// What the viewer appends to the name of its output.
constexpr std::string_view qhas_suffix = "_qnn_htp_analysis_summary.json";

constexpr std::string_view viewer_features =
    R"({"features":{"qhas_json":true,"qhas_schema":true,"htp_json":true,"runtrace":true,)"
    R"("memory_info":true,"traceback":true,"enable_input_output_flow_events":true,)"
    R"("enable_sequencer_flow_events":true}})";

bool is_there(const Path& path) {
  std::error_code failed;
  return std::filesystem::exists(path, failed);
}

std::vector<Path> schematics_in(const Path& folder) {
  std::vector<Path> found = files_in(folder).value_or({});
  std::erase_if(found, [](const Path& path) {
    return !path.filename().string().ends_with(schematic_suffix);
  });
  return found;
}

std::string last_line(std::string_view text) {
  text = trimmed(text);
  const std::size_t newline = text.rfind('\n');
  return printable(newline == std::string_view::npos ? text : text.substr(newline + 1));
}

}  // namespace

Result<QnnViewer> find_qnn_viewer(const Path& sdk, const std::string& arch) {
  if (sdk.empty()) {
    return fail(Fault::not_found, "the QNN SDK is not set up", {},
                "set QNN_SDK_ROOT to its folder");
  }
  for (const FolderEntry& folder : list_folder(sdk / "bin").value_or({})) {
    if (!folder.name.starts_with(arch)) continue;  // "x86_64-linux-clang"
    const QnnViewer viewer{folder.path / "qnn-profile-viewer",
                           sdk / "lib" / folder.name / "libQnnHtpOptraceProfilingReader.so"};
    if (is_there(viewer.program) && is_there(viewer.reader)) return viewer;
  }
  return fail(Fault::not_found,
              "the QNN SDK in '" + sdk.string() + "' has no profile viewer for " + arch, {},
              "set QNN_SDK_ROOT to an SDK with bin/" + arch + "-*/qnn-profile-viewer");
}

SchematicFinder::SchematicFinder(const Path& output_folder, const Path& model,
                                 const Path& work_folder)
    : output_folder_(output_folder), model_folder_(model.parent_path()), work_folder_(work_folder) {
  for (const Path& path : schematics_in(work_folder))
    before_.push_back({path, take_snapshot(path)});
}

Result<Path> SchematicFinder::find() const {
  std::vector<Path> found = schematics_in(output_folder_);
  if (found.empty()) found = schematics_in(model_folder_);
  if (found.empty()) {
    found = schematics_in(work_folder_);
    std::erase_if(found, [&](const Path& path) {
      return std::ranges::any_of(before_, [&](const Seen& seen) {
        return seen.path == path && seen.snapshot == take_snapshot(path);
      });
    });
  }
  if (found.empty()) {
    return fail(
        Fault::not_found,
        "no schematic of the compiled graph was found (*" + std::string(schematic_suffix) + ")", {},
        "trace the model it was compiled from: QNN writes the schematic when it compiles");
  }
  if (found.size() > 1) {
    return fail(Fault::not_found, std::to_string(found.size()) + " schematics are in '" +
                                      found.front().parent_path().string() +
                                      "', and which one is this model's is "
                                      "not known");
  }
  return found.front();
}

std::variant<Path, NoQhas> make_qhas(const QhasRequest& request) {
  const Path config = request.folder / "qnn_viewer_config.json";
  const Path output = request.folder / "qnn_viewer";
  if (const Status written = write_file(config, viewer_features); !written) {
    return NoQhas{"viewer_failed", written.error().what};
  }
  ProcessOptions options;
  options.limits.time = request.limit;
  options.folder = request.folder;
  const Result<ProcessEnd> end =
      run_process({request.viewer.program.string(), "--input_log", request.log.string(), "--output",
                   output.string(), "--reader", request.viewer.reader.string(), "--schematic",
                   request.schematic.string(), "--config", config.string()},
                  options);
  if (!end) return NoQhas{"viewer_failed", end.error().what + ": " + end.error().cause};
  if (!end->ok()) {
    const std::string said = last_line(end->standard_error);
    return NoQhas{"viewer_failed",
                  "qnn-profile-viewer " + end->describe() + (said.empty() ? "" : ": " + said)};
  }
  const Path qhas = output.string() + std::string(qhas_suffix);
  if (!is_there(qhas)) {
    return NoQhas{"qhas_output_missing", "qnn-profile-viewer made no '" + qhas.string() + "'"};
  }
  return qhas;
}

}  // namespace hone
