#include "runtime/run_on_file.h"

#include <algorithm>

#include "model/npz/npz.h"
#include "runtime/numpy_form.h"

namespace hone {
namespace {

Result<NamedTensors> read_inputs(const Session& session, const Path& file) {
  HONE_TRY(const std::vector<TensorPtr> arrays, read_npz(file));
  NamedTensors sample;
  for (const TensorPtr& array : arrays) {
    const auto port = std::ranges::find(session.inputs(), array->name, &Port::name);
    const bool is_known = port != session.inputs().end();
    sample[array->name] = is_known ? from_numpy_form(array, port->type.element) : array;
  }
  return sample;
}

void add_tensor(const Tensor& tensor, WorkerOutput& output, std::vector<TensorPtr>& arrays) {
  output.type = name_of(tensor.type);
  TensorPtr array = to_numpy_form(tensor);
  if (array == nullptr) {
    output.not_saved = "NumPy has no type for " + output.type;
    return;
  }
  if (array->type != tensor.type) output.saved_as = name_of(array->type);
  arrays.push_back(std::move(array));
}

Status add_value(const Runtime& runtime, const ort::OrtValue& value, WorkerOutput& output,
                 std::vector<TensorPtr>& arrays) {
  const ort::Api& api = runtime.api();
  const std::string what = "cannot read '" + output.name + "'";
  int is_tensor = 0;
  HONE_TRY_DO(runtime.check(api.IsTensor(&value, &is_tensor), what));
  if (is_tensor != 0) {
    HONE_TRY(const Tensor tensor, borrow_from_ort(runtime, output.name, &value));
    add_tensor(tensor, output, arrays);
    return done();
  }
  std::size_t count = 0;
  HONE_TRY_DO(runtime.check(api.GetValueCount(&value, &count), what));
  output.entries = count;
  output.not_saved = "it is no tensor";
  return done();
}

}  // namespace

Result<WorkerAnswered> run_on_file(const Runtime& runtime, const Session& session,
                                   const Path& inputs, const Path& outputs) {
  HONE_TRY(const NamedTensors sample, read_inputs(session, inputs));
  HONE_TRY(const Binding binding, session.bind(sample));
  HONE_TRY_DO(binding.run());
  WorkerAnswered answered;
  std::vector<TensorPtr> arrays;
  HONE_TRY_DO(binding.visit_values([&](const std::string& name, const ort::OrtValue& value) {
    WorkerOutput& output = answered.outputs.emplace_back();
    output.name = name;
    return add_value(runtime, value, output, arrays);
  }));
  HONE_TRY_DO(write_npz(outputs, arrays));
  return answered;
}

}  // namespace hone
