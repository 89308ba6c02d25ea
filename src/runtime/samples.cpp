// Samples that a user gives.

#include "runtime/samples.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "model/npz/npz.h"

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
  return fail(
      Fault::bad_input,
      "'" + file.string() + "' holds '" + printable(name) + "', and the model has no such input",
      {}, "its inputs are: " + join(known, ", "));
}

Status check_fits(const Path& file, const Tensor& tensor, const Port& port) {
  const auto refuse = [&](const std::string& given, const std::string& wanted) {
    return fail(Fault::bad_input, "'" + file.string() + "': '" + tensor.name + "' is " + given +
                                      ", and the model takes " + wanted);
  };
  if (!port.type.is_tensor()) return done();
  if (tensor.type != port.type.element)
    return refuse(name_of(tensor.type), name_of(port.type.element));
  if (!port.type.shape) return done();
  const Shape& shape = *port.type.shape;
  bool fits = shape.size() == tensor.dims.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i)
    fits = !shape[i].value || *shape[i].value == tensor.dims[i];
  return fits ? done()
              : Status(refuse(to_string(Type::tensor(tensor.type, shape_of(tensor.dims))),
                              to_string(port.type)));
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

Status add_file(const Path& file, const std::vector<Port>& inputs, std::vector<Sample>& samples) {
  HONE_TRY(const std::vector<TensorPtr> arrays, read_npz(file));
  std::map<std::size_t, Sample> found;
  for (const TensorPtr& array : arrays) {
    const auto [index, name] = split_index(array->name, inputs);
    const Port* port = find_port(inputs, name);
    if (port == nullptr) return unknown_input(file, array->name, inputs);
    HONE_TRY_DO(check_fits(file, *array, *port));
    found[index][name] = array;
  }
  for (auto& [index, sample] : found) {
    for (const Port& port : inputs) {
      if (sample.contains(port.name)) continue;
      return fail(Fault::bad_input, "'" + file.string() + "': sample " + std::to_string(index) +
                                        " lacks the input '" + port.name + "'");
    }
    samples.push_back(std::move(sample));
  }
  return done();
}

Failure no_sample(const Path& file_or_folder) {
  return fail(Fault::bad_input, "there is no sample in '" + file_or_folder.string() + "'", {},
              "give an .npz with one array per input, or a folder of such files");
}

}  // namespace

Result<std::vector<Path>> list_sample_files(const Path& file_or_folder) {
  if (!std::filesystem::is_directory(file_or_folder)) return std::vector<Path>{file_or_folder};
  std::vector<Path> files;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(file_or_folder, problem)) {
    if (entry.path().extension() == ".npz") files.push_back(entry.path());
  }
  if (problem) {
    return fail(Fault::io, "cannot list '" + file_or_folder.string() + "'", problem.message());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) return no_sample(file_or_folder);
  return files;
}

Result<std::vector<Sample>> load_samples(const Path& file_or_folder,
                                         const std::vector<Port>& inputs) {
  HONE_TRY(const std::vector<Path> files, list_sample_files(file_or_folder));
  std::vector<Sample> samples;
  for (const Path& file : files) HONE_TRY_DO(add_file(file, inputs, samples));
  if (samples.empty()) return no_sample(file_or_folder);
  return samples;
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
