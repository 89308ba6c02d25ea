#include "model/string_tensor.h"

namespace hone {

TensorPtr make_string_tensor(std::string name, std::vector<std::int64_t> dims,
                             std::vector<std::string> strings) {
  auto tensor = std::make_shared<Tensor>();
  tensor->name = std::move(name);
  tensor->type = ElementType::string;
  tensor->dims = std::move(dims);
  tensor->strings = std::move(strings);
  HONE_CHECK(count_elements(tensor->dims) == tensor->strings.size());
  return tensor;
}

}  // namespace hone
