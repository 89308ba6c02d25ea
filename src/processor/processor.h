#pragma once
// Processors: what turns a picture or a sound into the tensor a model takes, as the configuration
// beside the model says (preprocessor_config.json). A kind is one file in processors/ that returns
// a ProcessorKind, and one line in processors.inc; docs/processors.md is derived from them.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/file.h"
#include "processor/picture.h"
#include "processor/sound.h"

namespace hone {

struct ProcessorKind {
  std::string_view name;                 // its class in transformers
  std::string_view summary;              // what it makes, at most 72 characters, no full stop
  std::vector<std::string_view> also{};  // classes that do the same
  // What config.json calls models whose files leave the class out.
  std::vector<std::string_view> models{};
  // An object: every key that the class knows, and what holds where a file is silent.
  std::string_view defaults;
  // One of the two.
  std::optional<PictureFacts> picture{};
  Result<SoundPlan> (*sound)(Settings& settings) = nullptr;
};

std::span<const ProcessorKind> all_processors();

struct Processor {
  std::string name;  // the class that the file names
  std::string file;
  std::variant<PicturePlan, SoundPlan> plan;

  const PicturePlan* picture() const { return std::get_if<PicturePlan>(&plan); }
  const SoundPlan* sound() const { return std::get_if<SoundPlan>(&plan); }
  // "as preprocessor_config.json says (ViTImageProcessor): resized to 224x224 bilinear, / 255".
  std::string describe() const;
};

// What is asked of a file, and where the class stands where the file leaves it out.
struct ProcessorOrder {
  std::string file;        // for messages
  std::string model_type;  // of config.json; empty: not known
  PictureWishes pictures;
};
// Refuses classes, keys and values that are not known, each by its name.
Result<Processor> read_processor(const Json& document, const ProcessorOrder& order);

// What the files are called, beside a model.
inline constexpr const char* processor_files[] = {"processor_config.json",
                                                  "preprocessor_config.json"};

enum class Medium { picture, sound };
// Of a folder: the part of processor_config.json that is for the medium, else
// preprocessor_config.json; a file is that itself. Nothing where there is neither, or where it is
// for the other medium.
Result<std::optional<Processor>> find_processor(const Path& place, Medium medium,
                                                const PictureWishes& wishes);

namespace processors {
#define HONE_PROCESSOR(name) ProcessorKind name();
#include "processor/processors.inc"
#undef HONE_PROCESSOR
}  // namespace processors

}  // namespace hone
