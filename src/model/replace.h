#pragma once
// A model and its data files in the place of others, as one. Private to the model module.
//
// Whenever we are killed, the model that is there opens, as it was or as it is to be. Data takes
// its names first and the model last, so no model ever names data that is not there yet. But data
// that the old model reads can be replaced neither before that model nor after it. So it takes
// another name for now (NAME.hone-new), and a model that says that name takes the place of the old
// one; then the data gets its own name too, the model that says this one takes the place, and the
// name for now goes. Each step is one call of the system, and none of them copies data.

#include <string>
#include <vector>

#include "base/file.h"
#include "model/model.h"
#include "model/write.h"

namespace hone::writing {

// A data file that is complete and has no name yet.
struct NewData {
  std::string location;  // as the model says it
  AtomicFile file;
};

struct NewModel {
  const Model& model;
  const Placement& placement;
  AtomicFile file;  // the model as it is to be, complete
  std::vector<NewData> data;
};

Status replace_model(NewModel made);

// The file of a model, complete and without its name yet.
Result<AtomicFile> write_model_file(const Model& model, const Placement& placement,
                                    const Path& path);

// As save_model, with data files that were written already for tensors that are absent.
Result<SaveReport> save_with_data(const Model& model, const Path& path, const SaveOptions& options,
                                  std::vector<NewData> data);

// A model beside `path`, and another one, that reads its data from the location.
std::optional<Path> other_model_with_data(const Path& path, const std::string& location);

// Whether these bytes are mapped from the file that has this name now.
bool lies_in(const Blob& bytes, const Path& path);

}  // namespace hone::writing
