#include "flow/processor.h"

#include <algorithm>
#include <array>

#include "processor/processor.h"

namespace hone {
namespace {

bool has_processor(const Path& folder) {
  std::error_code unknown;
  return std::ranges::any_of(processor_files, [&](const char* name) {
    return std::filesystem::exists(folder / name, unknown);
  });
}

}  // namespace

Path processor_place(const Path& model, const std::optional<ExportedFrom>& exported) {
  std::error_code unknown;
  const Path whole = std::filesystem::absolute(model, unknown).parent_path();
  const Path beside = model.parent_path().empty() ? Path(".") : model.parent_path();
  std::vector<Path> places;
  // First the checkpoint itself: what was exported of it has a copy, which may be old.
  if (exported) places.emplace_back(exported->source);
  places.push_back(beside);
  if (whole.filename() == "onnx") places.push_back(beside / "..");
  const auto found = std::ranges::find_if(places, has_processor);
  return found != places.end() ? *found : beside;
}

Result<std::optional<Processor>> processor_of(const PictureOrder& pictures, Medium medium,
                                              const Path& place) {
  if (pictures.processor == no_processor) return std::optional<Processor>();
  PictureWishes wishes{{}, pictures.mean, pictures.deviation};
  const auto side = static_cast<std::size_t>(pictures.size);
  if (side > 0) wishes.size = PictureSize{side, side};
  const bool is_said = !pictures.processor.empty();
  HONE_TRY(std::optional<Processor> found,
           find_processor(is_said ? Path(pictures.processor) : place, medium, wishes));
  if (found || !is_said) return found;
  const std::string of = medium == Medium::picture ? "pictures" : "sounds";
  return fail(Fault::not_found, "'" + pictures.processor + "' has no processor of " + of, {},
              "a preprocessor_config.json or processor_config.json has one");
}

Status keep_processor(const Path& place, const Path& build) {
  std::error_code problem;
  if (std::filesystem::equivalent(place, build, problem)) return done();
  for (const char* name : processor_files) {
    std::filesystem::remove(build / name, problem);
    if (!std::filesystem::exists(place / name, problem)) continue;
    HONE_TRY_DO(clone_file(place / name, build / name));
  }
  const bool needs_config =
      has_processor(place) && std::filesystem::exists(place / "config.json", problem);
  if (!needs_config) return done();
  std::filesystem::remove(build / "config.json", problem);
  return clone_file(place / "config.json", build / "config.json");
}

}  // namespace hone
