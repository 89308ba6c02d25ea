// A model that was made elsewhere, brought to its place; and which data belongs to a model.

#include <algorithm>
#include <set>

#include "base/folder.h"
#include "model/replace.h"

namespace hone {
namespace {

// Whether the model in the file names the location; nothing where none can be read.
std::optional<bool> says(const Path& file, const std::string& location) {
  const auto model = load_model(file);
  if (!model) return std::nullopt;
  bool is_said = false;
  for_each_tensor(*model, [&](const TensorPtr& tensor, const Node*) {
    is_said |= tensor->external && tensor->external->location == location;
  });
  return is_said;
}

bool is_model(const Path& file) { return file.extension() == ".onnx"; }

class Placer {
 public:
  Placer(const Path& made, const Path& place, Placing how, bool overwrite)
      : made_(made), place_(place), how_(how), overwrite_(overwrite) {}

  Status run() {
    HONE_TRY(const Model model, load_model(made_));
    std::vector<writing::NewData> data;
    for (const std::string& location : data_of(model)) {
      HONE_TRY_DO(check_stays_inside(location));
      HONE_TRY(AtomicFile file, bring(location));
      data.push_back({location, std::move(file)});
    }
    HONE_TRY(AtomicFile file, bring(made_, place_));
    const writing::Placement as_it_is;
    return writing::replace_model(
        {.model = model, .placement = as_it_is, .file = std::move(file), .data = std::move(data)});
  }

 private:
  static std::set<std::string> data_of(const Model& model) {
    std::set<std::string> locations;
    for_each_tensor(model, [&](const TensorPtr& tensor, const Node*) {
      if (tensor->external && !tensor->absent) locations.insert(tensor->external->location);
    });
    return locations;
  }

  Result<AtomicFile> bring(const std::string& location) const {
    const Path target = place_.parent_path() / location;
    std::error_code problem;
    std::filesystem::create_directories(target.parent_path(), problem);
    return bring(made_.parent_path() / location, target);
  }

  Result<AtomicFile> bring(const Path& from, const Path& to) const {
    HONE_TRY_DO(refuse_existing(to, overwrite_));
    return how_ == Placing::move ? AtomicFile::take(from, to) : AtomicFile::copy_of(from, to);
  }

  const Path& made_;
  const Path& place_;
  const Placing how_;
  const bool overwrite_;
};

}  // namespace

bool is_data_of_a_model(const Path& folder, const std::string& location) {
  const auto files = files_in(folder.empty() ? Path(".") : folder);
  return files && std::ranges::any_of(*files, [&](const Path& file) {
           return is_model(file) && says(file, location).value_or(true);
         });
}

std::optional<Path> writing::other_model_with_data(const Path& path, const std::string& location) {
  const Path folder = path.parent_path();
  const auto files = files_in(folder.empty() ? Path(".") : folder);
  if (!files) return std::nullopt;
  const auto other = std::ranges::find_if(*files, [&](const Path& file) {
    return is_model(file) && file.filename() != path.filename() &&
           says(file, location).value_or(false);
  });
  return other == files->end() ? std::nullopt : std::optional(*other);
}

Status place_model(const Path& made, const Path& place, Placing how, bool overwrite) {
  return Placer(made, place, how, overwrite).run();
}

}  // namespace hone
