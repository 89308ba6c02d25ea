#include "runtime/run_views.h"

#include <algorithm>

#include "base/denormals.h"
#include "base/no_such.h"

namespace hone {
namespace {

Status check_names(const std::vector<Port>& ports, const NamedTensors& inputs) {
  for (const auto& [name, tensor] : inputs) {
    if (std::ranges::find(ports, name, &Port::name) == ports.end())
      return no_such("input", name, names_of(std::span<const Port>(ports)));
  }
  return done();
}

// What Run takes: names and values side by side.
struct Fed {
  std::vector<OrtTensor> tensors;
  std::vector<const char*> names;
  std::vector<const ort::OrtValue*> values;
};

Result<Fed> feed(const Runtime& runtime, const NamedTensors& inputs) {
  Fed fed;
  for (const auto& [name, tensor] : inputs) {
    HONE_TRY(OrtTensor value, view_as_ort(runtime, tensor));
    fed.names.push_back(name.c_str());
    fed.values.push_back(value.value.get());
    fed.tensors.push_back(std::move(value));
  }
  return fed;
}

}  // namespace

Result<NamedTensors> run_views(const Runtime& runtime, const Session& session,
                               const NamedTensors& inputs, bool zeroes_denormals) {
  HONE_TRY_DO(check_names(session.inputs(), inputs));
  HONE_TRY_DO(check_kinds(session.inputs(), inputs));
  HONE_TRY(const Fed fed, feed(runtime, inputs));
  std::vector<const char*> names;
  for (const Port& port : session.outputs()) names.push_back(port.name.c_str());
  std::vector<ort::OrtValue*> values(names.size());
  const ort::Api& api = runtime.api();
  {
    const DenormalScope denormals(zeroes_denormals);
    HONE_TRY_DO(
        runtime.check(api.Run(session.handle(), nullptr, fed.names.data(), fed.values.data(),
                              fed.names.size(), names.data(), names.size(), values.data()),
                      "the model failed while running"));
  }
  std::vector<Owned<ort::OrtValue>> owned;
  for (ort::OrtValue* value : values) owned.emplace_back(value, api.ReleaseValue);
  NamedTensors outputs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    HONE_TRY(TensorPtr output, from_ort(runtime, names[i], values[i]));
    outputs.emplace(names[i], std::move(output));
  }
  return outputs;
}

}  // namespace hone
