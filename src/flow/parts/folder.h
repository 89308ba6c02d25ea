#pragma once
// The folder that a command is given in the place of a model: what models it has, and which of them
// are parts of one thing.

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "flow/watch.h"
#include "record/composite.h"
#include "record/export.h"
#include "record/recipe.h"
#include "record/where.h"

namespace hone {

// "FOLDER#NAME" as the two; a path that is there has no part.
struct NamedPart {
  std::string folder;
  std::string part;  // empty: none is named
};
NamedPart taken_apart(const std::string& given);

// Whether it is the folder of a checkpoint (or a part of it) that is exported when it is found.
bool names_checkpoint(const std::string& given);

struct ModelFolder {
  Path path;                             // where the models are: in it, in its onnx/, in a cache
  std::vector<std::string> models;       // names of their files
  std::optional<Composite> composite;    // where they are parts of one thing
  std::optional<ExportedFrom> exported;  // of a checkpoint
  std::vector<std::string> notes;        // what was exported just now
};

// A checkpoint without models is exported into the host's cache, once. REQUIRES: a folder is there.
Result<ModelFolder> open_model_folder(const Path& folder, const Host& host, const Watch& watch = {},
                                      const ExportRecipe& exporting = {});

// A composite that is given as a whole: each of its parts as commands take a model.
struct PartModel {
  std::string part;
  std::string model;  // "FOLDER#encoder_model"
};
struct FoundParts {
  std::string given;
  Composite composite;
  std::vector<PartModel> models;
  std::vector<std::string> notes;
};
// Nothing where a file, a folder with one model, or a part is given.
Result<std::optional<FoundParts>> find_parts(const std::string& given, const Host& host,
                                             const Watch& watch = {});

// What of sizes and values of inputs is of a part: those of another are left out.
Result<std::string> shapes_of_part(const Path& model, const std::string& shape_config);

}  // namespace hone
