#include "model/replace.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

namespace hone::writing {
namespace {

// Ends the name that data has until its own is free.
constexpr std::string_view for_now = ".hone-new";

// Location -> the name it has for now.
using OtherNames = std::map<std::string, std::string>;

bool is_there(const Path& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0;
}

std::optional<ExternalData> place_of(const Tensor& tensor, const Placement& placement) {
  const auto planned = placement.find(&tensor);
  return planned == placement.end() ? tensor.external : planned->second;
}

// What the model says of where its data is, as it is written with this placement.
std::set<std::string> locations_in(const Model& model, const Placement& placement = {}) {
  std::set<std::string> locations;
  for_each_tensor(model, [&](const TensorPtr& tensor, const Node*) {
    if (const auto data = place_of(*tensor, placement)) locations.insert(data->location);
  });
  return locations;
}

// The placement under which it says other names.
Placement with_names(const Model& model, Placement placement, const OtherNames& names) {
  for_each_tensor(model, [&](const TensorPtr& tensor, const Node*) {
    std::optional<ExternalData> data = place_of(*tensor, placement);
    const auto other = data ? names.find(data->location) : names.end();
    if (other == names.end()) return;
    data->location = other->second;
    placement[tensor.get()] = std::move(data);
  });
  return placement;
}

// A second name for the same bytes, in the place of a file that the model does not read any more.
Status name_also(const Path& file, const Path& name) {
  ::unlink(name.c_str());
  if (::link(file.c_str(), name.c_str()) == 0) return done();
  return clone_file(file, name);  // a file system where a file has one name
}

class Replacement {
 public:
  explicit Replacement(NewModel made)
      : made_(std::move(made)), path_(made_.file.path()), folder_(path_.parent_path()) {
    if (!is_there(path_)) return;
    // One that does not open cannot be spoilt.
    if (auto old = load_model(path_)) old_ = std::move(old).value();
  }

  Status run() {
    HONE_TRY_DO(keep_data_of_others());
    for (const NewData& data : made_.data) {
      if (is_read_by_old(data.location)) names_[data.location] = free_name(data.location);
    }
    HONE_TRY_DO(names_.empty() ? commit_all() : commit_by_other_names());
    clear_away_remains();
    return done();
  }

 private:
  // Data is named after its model, and another model of the folder may have taken that name: what
  // it reads would be replaced by weights of this one.
  Status keep_data_of_others() const {
    const std::string own = path_.filename().string() + ".data";
    const bool brings_it =
        std::ranges::find(made_.data, own, &NewData::location) != made_.data.end();
    if (!brings_it || !is_there(folder_ / own)) return done();
    const std::optional<Path> other = other_model_with_data(path_, own);
    if (!other) return done();
    return fail(Fault::bad_input,
                "'" + own + "' holds the weights of '" + other->filename().string() + "'", {},
                "choose another output, or another folder");
  }

  bool is_read_by_old(const std::string& location) const {
    bool is_read = false;
    if (!old_) return is_read;
    for_each_tensor(*old_, [&](const TensorPtr& tensor, const Node*) {
      is_read |= tensor->external && lies_in(tensor->dense, folder_ / location);
    });
    return is_read;
  }

  // What a killed save left under such a name may be replaced.
  std::string free_name(const std::string& location) const {
    std::string name = location + std::string(for_now);
    while (is_there(folder_ / name) && is_read_by_any(name)) name += for_now;
    return name;
  }

  bool is_read_by_any(const std::string& name) const {
    return is_read_by_old(name) || is_data_of_a_model(folder_, name);
  }

  Status commit_all() {
    for (NewData& data : made_.data) HONE_TRY_DO(data.file.commit());
    return made_.file.commit();
  }

  Status commit_by_other_names() {
    HONE_TRY(
        AtomicFile meanwhile,
        write_model_file(made_.model, with_names(made_.model, made_.placement, names_), path_));
    for (NewData& data : made_.data) {
      const auto other = names_.find(data.location);
      HONE_TRY_DO(other == names_.end() ? data.file.commit()
                                        : data.file.commit_as(folder_ / other->second));
    }
    HONE_TRY_DO(meanwhile.commit());
    for (const auto& [own, other] : names_) HONE_TRY_DO(name_also(folder_ / other, folder_ / own));
    HONE_TRY_DO(made_.file.commit());
    for (const auto& [own, other] : names_) ::unlink((folder_ / other).c_str());
    return done();
  }

  // Of saves that were killed: under the names of this one, of the model that was there, and the
  // usual one.
  void clear_away_remains() const {
    const std::set<std::string> said = locations_in(made_.model, made_.placement);
    std::set<std::string> locations = old_ ? locations_in(*old_) : std::set<std::string>();
    locations.insert(said.begin(), said.end());
    locations.insert(path_.filename().string() + ".data");
    for (const std::string& location : locations) {
      remove_remains(folder_ / location);
      for (const std::string& name : {location, location + std::string(for_now)})
        if (!said.contains(name)) remove_name_for_now(name);
    }
  }

  void remove_name_for_now(const std::string& name) const {
    const Path file = folder_ / name;
    const bool is_for_now = name.ends_with(for_now) && is_there(file);
    if (is_for_now && !is_data_of_a_model(folder_, name)) ::unlink(file.c_str());
  }

  NewModel made_;
  const Path path_;
  const Path folder_;
  std::optional<Model> old_;
  OtherNames names_;
};

}  // namespace

Status replace_model(NewModel made) { return Replacement(std::move(made)).run(); }

bool lies_in(const Blob& bytes, const Path& path) {
  const auto& backing = bytes.backing();
  const int descriptor = backing ? backing->file_descriptor() : -1;
  struct stat there {};
  struct stat ours {};
  if (descriptor < 0 || ::stat(path.c_str(), &there) != 0 || ::fstat(descriptor, &ours) != 0)
    return false;
  return there.st_dev == ours.st_dev && there.st_ino == ours.st_ino;
}

}  // namespace hone::writing
