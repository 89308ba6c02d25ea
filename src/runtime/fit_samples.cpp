#include "runtime/fit_samples.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/counted.h"
#include "base/json.h"
#include "base/text.h"

namespace hone {
namespace {

using Dims = std::vector<std::int64_t>;

// In float32, where that is what the model takes and the array is float64.
Result<TensorPtr> narrowed(const TensorPtr& array, const Port& port, SampleNotes& notes) {
  const bool is_meant =
      array->type == ElementType::float64 && port.type.element == ElementType::float32;
  if (!is_meant) return array;
  HONE_TRY(const std::string_view bytes, array->bytes());
  const std::size_t count = array->element_count();
  std::string made(count * sizeof(float), '\0');
  for (std::size_t i = 0; i < count; ++i) {
    double value = 0;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    const auto narrow = static_cast<float>(value);
    if (std::isfinite(value) && !std::isfinite(narrow))
      return fail(Fault::bad_input,
                  "'" + printable(port.name) + "' holds " + Json(value).dump() +
                      ", and the model takes float32",
                  "it would become infinite", "float32 reaches to 3.4e+38");
    std::memcpy(made.data() + i * sizeof narrow, &narrow, sizeof narrow);
  }
  notes.insert("the input '" + printable(port.name) +
               "' is float64 in the data, and converted to the float32 that the model takes");
  return make_tensor(array->name, ElementType::float32, array->dims, Blob::own(std::move(made)));
}

// The shape of one sample, where the array holds several along its first axis: an axis that the
// model does not have, or a batch of more than the one it takes.
std::optional<Dims> shape_of_one(const Tensor& array, const Type& type) {
  if (!type.shape || array.dims.empty() || takes_shape(type, array.dims)) return std::nullopt;
  const Dims rest(array.dims.begin() + 1, array.dims.end());
  if (takes_shape(type, rest)) return rest;
  Dims single = array.dims;
  single.front() = 1;
  return takes_shape(type, single) ? std::optional(single) : std::nullopt;
}

TensorPtr part_of(const Tensor& array, const Dims& dims, std::uint64_t index) {
  const std::uint64_t size = array.dense.size() / static_cast<std::uint64_t>(array.dims.front());
  return make_tensor(array.name, array.type, dims, array.dense.slice(index * size, size));
}

// How many samples an array holds along its first axis; none: it is one.
std::int64_t samples_in(const Tensor& array, const Type& type) {
  const bool is_cut = type.is_tensor() && !array.absent && !array.dense.empty() &&
                      shape_of_one(array, type).has_value();
  return is_cut ? array.dims.front() : 0;
}

}  // namespace

Result<std::vector<Sample>> fit_sample(const Sample& sample, const std::vector<Port>& inputs,
                                       SampleNotes& notes) {
  Sample fitted = sample;
  std::int64_t count = 0;
  for (const Port& port : inputs) {
    const auto found = fitted.find(port.name);
    if (found == fitted.end() || !port.type.is_tensor()) continue;
    HONE_TRY(found->second, narrowed(found->second, port, notes));
    const std::int64_t own = samples_in(*found->second, port.type);
    if (own == 0) continue;
    if (count != 0 && own != count) {
      return fail(Fault::bad_input, "'" + printable(port.name) + "' holds " +
                                        counted(static_cast<std::uint64_t>(own), "sample") +
                                        ", and another input " + std::to_string(count));
    }
    count = own;
  }
  if (count == 0) return std::vector<Sample>{std::move(fitted)};
  std::vector<Sample> samples(static_cast<std::size_t>(count), fitted);
  for (const Port& port : inputs) {
    const auto found = fitted.find(port.name);
    if (found == fitted.end() || samples_in(*found->second, port.type) == 0) continue;
    const Dims dims = *shape_of_one(*found->second, port.type);
    for (std::size_t i = 0; i < samples.size(); ++i)
      samples[i][port.name] = part_of(*found->second, dims, i);
    notes.insert("the first axis of '" + printable(port.name) + "' holds " +
                 counted(samples.size(), "sample") + " of " +
                 to_string(Type::tensor(found->second->type, shape_of(dims))));
  }
  return samples;
}

}  // namespace hone
