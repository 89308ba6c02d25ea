// Samples that a user gives.

#include "runtime/samples.h"

#include <algorithm>
#include <charconv>

#include "base/folder.h"
#include "base/misuse.h"
#include "base/text.h"
#include "model/npz/npz.h"
#include "runtime/fit_samples.h"

namespace hone {
namespace {

const Port* find_port(const std::vector<Port>& ports, std::string_view name) {
  for (const Port& port : ports) {
    if (port.name == name) return &port;
  }
  return nullptr;
}

Failure unknown_input(const Path& file, const std::string& name, const std::vector<Port>& inputs) {
  std::vector<std::string> known;
  for (const Port& port : inputs) known.push_back(port.name);
  return misuse(
      "'" + file.string() + "' holds '" + printable(name) + "', and the model has no such input",
      "its inputs are: " + join(known, ", "));
}

Status check_fits(const Path& file, const Tensor& tensor, const Port& port) {
  const auto refuse = [&](const std::string& given, const std::string& wanted) {
    return fail(Fault::bad_input, "'" + file.string() + "': '" + tensor.name + "' is " + given +
                                      ", and the model takes " + wanted);
  };
  if (!port.type.is_tensor()) return done();
  if (tensor.type != port.type.element)
    return refuse(name_of(tensor.type), name_of(port.type.element));
  if (takes_shape(port.type, tensor.dims)) return done();
  return refuse(to_string(Type::tensor(tensor.type, shape_of(tensor.dims))), to_string(port.type));
}

// "3/input_ids" -> sample 3, "input_ids". A name that is an input of the model is never split.
std::pair<std::size_t, std::string> split_index(const std::string& name,
                                                const std::vector<Port>& inputs) {
  if (find_port(inputs, name) != nullptr) return {0, name};
  std::size_t index = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (problem != std::errc() || end == name.data() + name.size() || *end != '/') return {0, name};
  return {index, std::string(end + 1)};
}

Status check_sample(const Path& file, const Sample& sample, const std::vector<Port>& inputs,
                    std::size_t index) {
  for (const Port& port : inputs) {
    const auto found = sample.find(port.name);
    if (found == sample.end()) {
      return fail(Fault::bad_input, "'" + file.string() + "': sample " + std::to_string(index) +
                                        " lacks the input '" + port.name + "'");
    }
    HONE_TRY_DO(check_fits(file, *found->second, port));
  }
  return done();
}

Failure no_sample(const Path& file_or_folder) {
  return misuse("there is no sample in '" + file_or_folder.string() + "'",
                "give an .npz with one array per input, or a folder of such files");
}

}  // namespace

Result<std::vector<Path>> list_sample_files(const Path& file_or_folder) {
  if (!std::filesystem::is_directory(file_or_folder)) return std::vector<Path>{file_or_folder};
  HONE_TRY(std::vector<Path> files, files_in(file_or_folder));
  std::erase_if(files, [](const Path& file) { return file.extension() != ".npz"; });
  if (files.empty()) return no_sample(file_or_folder);
  return files;
}

Result<std::map<std::size_t, Sample>> read_samples(const Path& file,
                                                   const std::vector<Port>& inputs) {
  HONE_TRY(const std::vector<TensorPtr> arrays, read_npz(file));
  std::map<std::size_t, Sample> found;
  for (const TensorPtr& array : arrays) {
    const auto [index, name] = split_index(array->name, inputs);
    if (find_port(inputs, name) == nullptr) return unknown_input(file, array->name, inputs);
    found[index][name] = array;
  }
  return found;
}

Result<LoadedSamples> load_samples(const Path& file_or_folder, const std::vector<Port>& inputs) {
  HONE_TRY(const std::vector<Path> files, list_sample_files(file_or_folder));
  LoadedSamples loaded;
  SampleNotes notes;
  for (const Path& file : files) {
    HONE_TRY(const auto found, read_samples(file, inputs));
    for (const auto& [index, sample] : found) {
      HONE_TRY(std::vector<Sample> fitted, fit_sample(sample, inputs, notes));
      for (Sample& one : fitted) {
        HONE_TRY_DO(check_sample(file, one, inputs, index));
        loaded.samples.push_back(std::move(one));
      }
    }
  }
  if (loaded.samples.empty()) return no_sample(file_or_folder);
  loaded.notes.assign(notes.begin(), notes.end());
  return loaded;
}

bool takes_shape(const Type& type, const std::vector<std::int64_t>& dims) {
  if (!type.shape) return true;
  const Shape& shape = *type.shape;
  bool fits = shape.size() == dims.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i)
    fits = !shape[i].value || *shape[i].value == dims[i];
  return fits;
}

std::vector<Port> input_ports(const Model& model) {
  std::vector<Port> ports;
  for (const Value* input : model.graph->inputs()) {
    if (input->initializer()) continue;
    Port& port = ports.emplace_back(Port{input->name(), input->type});
    if (!port.type.shape) continue;
    // PaddlePaddle writes -1 for a dimension that is open.
    for (Dim& dim : *port.type.shape) {
      if (dim.value && *dim.value < 0) dim.value.reset();
    }
  }
  return ports;
}

}  // namespace hone
