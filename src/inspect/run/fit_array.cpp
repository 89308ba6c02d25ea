#include "inspect/run/fit_array.h"

#include "base/text.h"
#include "inspect/run/cast.h"
#include "model/elements.h"
#include "runtime/samples.h"

namespace hone {
namespace {

using Dims = std::vector<std::int64_t>;

std::string type_text(const Tensor& array) {
  return to_string(Type::tensor(array.type, shape_of(array.dims)));
}

std::string compared(const Tensor& array, const Port& input) {
  return "it takes " + to_string(input.type) + ", and is given " + type_text(array);
}

std::string tuple_text(const Dims& dims) {
  std::vector<std::string> sizes;
  for (const std::int64_t dim : dims) sizes.push_back(std::to_string(dim));
  return "(" + join(sizes, ", ") + (dims.size() == 1 ? ",)" : ")");
}

// The shape of an input that leaves nothing open.
std::optional<Dims> fixed_shape(const Type& type) {
  Dims dims;
  for (const Dim& dim : *type.shape) {
    if (!dim.value) return std::nullopt;
    dims.push_back(*dim.value);
  }
  return dims;
}

// What would make it fit, in NumPy's words.
std::string shape_hint(const Tensor& array, const Type& type) {
  Dims longer = array.dims;
  longer.insert(longer.begin(), 1);
  if (takes_shape(type, longer))
    return "np.expand_dims(array, 0) adds the first dimension that is missing";
  const Dims& d = array.dims;
  if (d.size() == 4 && takes_shape(type, {d[0], d[3], d[1], d[2]}))
    return "np.transpose(array, (0, 3, 1, 2)) puts the channels before height and width";
  if (d.size() == 4 && takes_shape(type, {d[0], d[2], d[3], d[1]}))
    return "np.transpose(array, (0, 2, 3, 1)) puts the channels behind height and width";
  const auto wanted = fixed_shape(type);
  if (wanted && count_elements(*wanted) == array.element_count())
    return "np.reshape(array, " + tuple_text(*wanted) + ") has the shape, if its order is right";
  return "an array of a shape that fits; dimensions with a name or ? take any size";
}

bool is_castable(ElementType type) { return holds_numbers(type) || type == ElementType::boolean; }

Failure refuse_loss(const Tensor& array, const Port& input, const std::string& from) {
  return fail(Fault::bad_input, does_not_take(input, from),
              compared(array, input) + ", and not all of its values are kept in " +
                  name_of(input.type.element),
              "--cast takes the nearest values; or array.astype(...) does what you mean");
}

}  // namespace

std::string does_not_take(const Port& input, const std::string& from) {
  return "the input '" + printable(input.name) + "' does not take '" + printable(from) + "'";
}

bool may_fit(const Tensor& array, const Type& type) {
  const bool fits_type =
      array.type == type.element || (is_castable(array.type) && is_castable(type.element));
  return type.is_tensor() && fits_type && takes_shape(type, array.dims);
}

Result<FittedArray> fit_array(const TensorPtr& array, const Port& input, const std::string& from,
                              bool may_lose) {
  if (!input.type.is_tensor()) {
    return fail(Fault::unsupported, does_not_take(input, from),
                "it takes " + to_string(input.type) + ", and hone gives tensors only");
  }
  if (!takes_shape(input.type, array->dims)) {
    return fail(Fault::bad_input, does_not_take(input, from), compared(*array, input),
                shape_hint(*array, input.type));
  }
  if (array->type == input.type.element) {
    auto named = std::make_shared<Tensor>(*array);
    named->name = input.name;
    return FittedArray{std::move(named), {}};
  }
  const auto cast = cast_tensor(*array, input.type.element);
  if (!cast) {
    return fail(Fault::bad_input, does_not_take(input, from),
                compared(*array, input) + "; " + cast.error().what);
  }
  // NumPy makes doubles where nobody says otherwise, and hardly anybody means them.
  const bool is_usual = array->type == ElementType::float64 &&
                        input.type.element == ElementType::float32 &&
                        cast->loss == CastLoss::rounded;
  if (cast->loss != CastLoss::none && !is_usual && !may_lose)
    return refuse_loss(*array, input, from);
  auto named = std::make_shared<Tensor>(*cast->tensor);
  named->name = input.name;
  std::string note = printable(input.name) + ": cast from " + name_of(array->type) + " to " +
                     name_of(input.type.element);
  if (cast->loss == CastLoss::rounded) note += ", rounded to the nearest";
  if (cast->loss == CastLoss::lost) note += ", and values were lost (--cast)";
  return FittedArray{std::move(named), std::move(note)};
}

}  // namespace hone
