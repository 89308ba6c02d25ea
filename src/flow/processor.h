#pragma once
// Where the configuration lies that says how pictures and sounds become what a model takes.

#include "base/file.h"
#include "base/result.h"
#include "flow/given_model.h"
#include "flow/pictures.h"
#include "processor/processor.h"

namespace hone {

// The word that leaves them aside.
inline constexpr auto no_processor = "none";

// The folder that has one: that of the checkpoint, that of the model, or the one above where that
// is called onnx. Where none has, that of the model.
Path processor_place(const Path& model, const std::optional<ExportedFrom>& exported);

// What pictures or sounds of data go through: what is said, or what lies in the place.
Result<std::optional<Processor>> processor_of(const PictureOrder& pictures, Medium medium,
                                              const Path& place);

// A build takes it along, with the config.json that says whose it is; what an older build in the
// folder had goes.
Status keep_processor(const Path& place, const Path& build);

}  // namespace hone
