#include "flow/parts/folder.h"

#include <algorithm>
#include <filesystem>

#include "base/folder.h"
#include "checkpoint/export.h"
#include "checkpoint/safetensors.h"
#include "flow/export/cached.h"
#include "flow/parts/layout.h"
#include "pipeline/build_folder.h"
#include "runtime/samples.h"

namespace hone {
namespace {

std::vector<std::string> models_in(const Path& folder) {
  std::vector<std::string> models;
  const auto files = files_in(folder);
  for (const Path& file : files ? *files : std::vector<Path>())
    if (file.extension() == ".onnx") models.push_back(file.filename().string());
  return models;
}

bool has_manifest(const Path& folder) {
  std::error_code unknown;
  return std::filesystem::exists(folder / composite_name, unknown);
}

// By the manifest, else by their names. A model.onnx stands for the folder by itself.
Result<std::optional<Composite>> composite_in(const Path& folder,
                                              const std::vector<std::string>& models) {
  HONE_TRY(std::optional<Composite> said, read_composite(folder));
  if (said) return said;
  if (std::ranges::find(models, build_model_name) != models.end())
    return std::optional<Composite>();
  std::optional<Composite> composite = composite_of_names(models);
  if (!composite) return composite;
  std::vector<PartPorts> ports;
  for (const CompositePart& part : composite->parts) {
    HONE_TRY(const Model model, load_model(folder / part.file));
    ports.push_back(ports_of(part.part, model));
  }
  composite->feeds = feeds_between(ports);
  return composite;
}

bool has_symbol(const std::vector<Port>& ports, const std::string& name) {
  return std::ranges::any_of(ports, [&](const Port& port) {
    return port.type.shape && std::ranges::any_of(*port.type.shape, [&](const Dim& dim) {
             return symbol_of(dim) == name;
           });
  });
}

}  // namespace

NamedPart taken_apart(const std::string& given) {
  std::error_code unknown;
  const std::size_t mark = given.rfind('#');
  if (mark == std::string::npos || std::filesystem::exists(given, unknown)) return {given, {}};
  return {given.substr(0, mark), given.substr(mark + 1)};
}

bool names_checkpoint(const std::string& given) {
  const Path folder(taken_apart(given).folder);
  return is_checkpoint(folder) && !unsettled_build(folder) && models_in(folder).empty() &&
         !has_manifest(folder);
}

Result<ModelFolder> open_model_folder(const Path& folder, const Host& host, const Watch& watch,
                                      const ExportRecipe& exporting) {
  ModelFolder found;
  found.path = folder;
  found.models = models_in(folder);
  const bool is_bare = found.models.empty() && !has_manifest(folder);
  if (is_bare && is_checkpoint(folder)) {
    HONE_TRY(const CachedExport cached, cached_export(folder, exporting, host, watch));
    found.path = cached.folder;
    found.models = models_in(found.path);
    found.exported = cached.from;
    if (!cached.note.empty()) found.notes.push_back(cached.note);
  } else if (is_bare) {
    found.path = folder / "onnx";  // where repositories of models have them
    found.models = models_in(found.path);
    const bool lacks_weights =
        found.models.empty() && std::filesystem::exists(folder / "config.json");
    if (lacks_weights) HONE_TRY_DO(read_checkpoint_tensors(folder));  // says which there are
  }
  HONE_TRY(found.composite, composite_in(found.path, found.models));
  return found;
}

Result<std::optional<FoundParts>> find_parts(const std::string& given, const Host& host,
                                             const Watch& watch) {
  const NamedPart named = taken_apart(given);
  std::error_code unknown;
  const bool is_whole = named.part.empty() && std::filesystem::is_directory(given, unknown);
  if (!is_whole || unsettled_build(given)) return std::optional<FoundParts>();
  HONE_TRY(ModelFolder folder, open_model_folder(given, host, watch));
  if (!folder.composite) return std::optional<FoundParts>();
  FoundParts found;
  found.given = given;
  found.composite = *std::move(folder.composite);
  found.notes = std::move(folder.notes);
  for (const CompositePart& part : found.composite.parts)
    found.models.push_back({part.part, given + "#" + part.part});
  return std::optional(std::move(found));
}

Result<std::string> shapes_of_part(const Path& file, const std::string& shape_config) {
  HONE_TRY(const Model model, load_model(file));
  const std::vector<Port> ports = input_ports(model);
  const auto has_input = [&](const auto& said) {
    return std::ranges::find(ports, said.first, &Port::name) != ports.end();
  };
  HONE_TRY(ShapeRules rules, parse_shape_rules(shape_config));
  std::erase_if(rules.symbols, [&](const auto& said) { return !has_symbol(ports, said.first); });
  std::erase_if(rules.inputs, [&](const auto& said) { return !has_input(said); });
  std::erase_if(rules.values, [&](const auto& said) { return !has_input(said); });
  return to_shape_text(rules);
}

}  // namespace hone
