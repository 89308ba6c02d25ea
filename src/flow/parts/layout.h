#pragma once
// Which models of a folder are parts of one thing: as its manifest says, or by the names that
// exporters give them.

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "model/model.h"
#include "record/composite.h"

namespace hone {

// Beside the models, or above the folders of their builds.
inline constexpr auto composite_name = "composite.json";

// Of the names of .onnx files, by what exporters call them: encoder_model, decoder_model, ...,
// text_model, vision_model. Other forms of a part (encoder_model_quantized), and a merged decoder
// beside the two it stands for, are variants. Nothing where there are not two parts.
std::optional<Composite> composite_of_names(const std::vector<std::string>& files);

// The names of what a part takes and gives.
struct PartPorts {
  std::string part;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};
PartPorts ports_of(const std::string& part, const Model& model);
// What the parts hand each other, and themselves in the next step, by those names.
std::vector<CompositeFeed> feeds_between(const std::vector<PartPorts>& parts);

// The manifest of a folder; nothing where there is none. One that is a stranger's may name files in
// the folder alone.
Result<std::optional<Composite>> read_composite(const Path& folder);
Status write_composite(const Path& folder, const Composite& composite);

}  // namespace hone
