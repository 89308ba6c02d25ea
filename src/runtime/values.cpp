#include "runtime/values.h"

#include <cstdlib>
#include <cstring>

namespace hone {
namespace {

// What MLAS and its vector kernels are happiest with.
constexpr std::size_t alignment = 64;

std::shared_ptr<void> allocate_aligned(std::size_t bytes) {
  const std::size_t rounded =
      (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  return {std::aligned_alloc(alignment, rounded), std::free};
}

Result<Owned<ort::OrtMemoryInfo>> cpu_memory(const Runtime& runtime) {
  ort::OrtMemoryInfo* info = nullptr;
  HONE_TRY_DO(
      runtime.check(runtime.api().CreateCpuMemoryInfo(/*device allocator*/ 0, /*default*/ 0, &info),
                    "cannot describe CPU memory"));
  return Owned<ort::OrtMemoryInfo>(info, runtime.api().ReleaseMemoryInfo);
}

Result<OrtTensor> strings_to_ort(const Runtime& runtime, const Tensor& tensor) {
  const ort::Api& api = runtime.api();
  const std::string what = "cannot make the string tensor '" + tensor.name + "'";
  ort::OrtAllocator* allocator = nullptr;
  HONE_TRY_DO(runtime.check(api.GetAllocatorWithDefaultOptions(&allocator), what));
  ort::OrtValue* made = nullptr;
  HONE_TRY_DO(
      runtime.check(api.CreateTensorAsOrtValue(allocator, tensor.dims.data(), tensor.dims.size(),
                                               static_cast<int>(tensor.type), &made),
                    what));
  Owned<ort::OrtValue> value(made, api.ReleaseValue);
  std::vector<const char*> texts;
  for (const std::string& text : tensor.strings) texts.push_back(text.c_str());
  HONE_TRY_DO(runtime.check(api.FillStringTensor(made, texts.data(), texts.size()), what));
  return OrtTensor{std::move(value), nullptr};
}

Status read_strings(const Runtime& runtime, const ort::OrtValue* value, Tensor& tensor) {
  const ort::Api& api = runtime.api();
  const std::uint64_t count = tensor.element_count();
  std::size_t length = 0;
  HONE_TRY_DO(runtime.check(api.GetStringTensorDataLength(value, &length), "cannot read strings"));
  std::string all(length, '\0');
  std::vector<std::size_t> offsets(count);
  HONE_TRY_DO(
      runtime.check(api.GetStringTensorContent(value, all.data(), length, offsets.data(), count),
                    "cannot read strings"));
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t end = i + 1 < count ? offsets[i + 1] : length;
    tensor.strings.push_back(all.substr(offsets[i], end - offsets[i]));
  }
  return done();
}

Result<int> kind_of(const Runtime& runtime, const std::string& name, const ort::OrtValue* value) {
  int kind = ort::type_unknown;
  HONE_TRY_DO(
      runtime.check(runtime.api().GetValueType(value, &kind), "cannot read '" + name + "'"));
  return kind;
}

// Of a sequence one of its values; of a map its keys (0) or what they stand for (1).
Result<Owned<ort::OrtValue>> entry_of(const Runtime& runtime, const std::string& name,
                                      const ort::OrtValue* value, int index) {
  const ort::Api& api = runtime.api();
  const std::string what = "cannot read '" + name + "'";
  ort::OrtAllocator* allocator = nullptr;
  HONE_TRY_DO(runtime.check(api.GetAllocatorWithDefaultOptions(&allocator), what));
  ort::OrtValue* entry = nullptr;
  HONE_TRY_DO(runtime.check(api.GetValue(value, index, allocator, &entry), what));
  return Owned<ort::OrtValue>(entry, api.ReleaseValue);
}

Result<std::vector<TensorPtr>> entries_of(const Runtime& runtime, const std::string& name,
                                          const ort::OrtValue* sequence) {
  std::size_t count = 0;
  HONE_TRY_DO(
      runtime.check(runtime.api().GetValueCount(sequence, &count), "cannot read '" + name + "'"));
  std::vector<TensorPtr> entries;
  for (std::size_t i = 0; i < count; ++i) {
    HONE_TRY(const Owned<ort::OrtValue> entry,
             entry_of(runtime, name, sequence, static_cast<int>(i)));
    HONE_TRY(TensorPtr tensor, from_ort(runtime, name, entry.get()));
    entries.push_back(std::move(tensor));
  }
  return entries;
}

// One tensor of one more dimension; flat where the entries have different sizes.
Result<TensorPtr> joined(const std::string& name, const std::vector<TensorPtr>& entries) {
  Tensor all;
  all.name = name;
  all.type = entries.empty() ? ElementType::float32 : entries.front()->type;
  bool are_alike = !entries.empty();
  std::string bytes;
  std::int64_t elements = 0;
  for (const TensorPtr& entry : entries) {
    if (entry->type != all.type)
      return fail(Fault::unsupported, "the output '" + name + "' has entries of different types");
    are_alike = are_alike && entry->dims == entries.front()->dims;
    bytes += entry->dense.view();
    all.strings.insert(all.strings.end(), entry->strings.begin(), entry->strings.end());
    elements += static_cast<std::int64_t>(entry->element_count());
  }
  all.dims = {are_alike ? static_cast<std::int64_t>(entries.size()) : elements};
  if (are_alike) {
    const std::vector<std::int64_t>& dims = entries.front()->dims;
    all.dims.insert(all.dims.end(), dims.begin(), dims.end());
  }
  all.dense = Blob::own(std::move(bytes));
  return std::make_shared<const Tensor>(std::move(all));
}

Result<OrtTensor> wrap(const Runtime& runtime, const Tensor& tensor, std::shared_ptr<void> memory) {
  HONE_TRY(const Owned<ort::OrtMemoryInfo> where, cpu_memory(runtime));
  ort::OrtValue* value = nullptr;
  HONE_TRY_DO(runtime.check(
      runtime.api().CreateTensorWithDataAsOrtValue(
          where.get(), memory.get(), static_cast<std::size_t>(tensor.byte_size()),
          tensor.dims.data(), tensor.dims.size(), static_cast<int>(tensor.type), &value),
      "cannot make the tensor '" + tensor.name + "'"));
  return OrtTensor{Owned<ort::OrtValue>(value, runtime.api().ReleaseValue), std::move(memory)};
}

}  // namespace

Result<OrtTensor> to_ort(const Runtime& runtime, const Tensor& tensor) {
  if (tensor.type == ElementType::string) return strings_to_ort(runtime, tensor);
  HONE_TRY(const std::string_view bytes, tensor.bytes());
  std::shared_ptr<void> memory = allocate_aligned(bytes.size());
  if (!bytes.empty()) std::memcpy(memory.get(), bytes.data(), bytes.size());
  return wrap(runtime, tensor, std::move(memory));
}

Result<OrtTensor> view_as_ort(const Runtime& runtime, const TensorPtr& tensor) {
  if (tensor->type == ElementType::string) return strings_to_ort(runtime, *tensor);
  HONE_TRY(const std::string_view bytes, tensor->bytes());
  const auto element_bytes = static_cast<std::size_t>(std::max(bits_of(tensor->type) / 8, 1));
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % element_bytes == 0;
  if (!is_aligned || bytes.empty()) return to_ort(runtime, *tensor);
  // ONNX Runtime takes a plain pointer for inputs and weights alike, and writes to neither.
  return wrap(runtime, *tensor, {tensor, const_cast<char*>(bytes.data())});
}

Result<Tensor> borrow_from_ort(const Runtime& runtime, const std::string& name,
                               const ort::OrtValue* value) {
  const ort::Api& api = runtime.api();
  int is_tensor = 0;
  HONE_TRY_DO(runtime.check(api.IsTensor(value, &is_tensor), "cannot read '" + name + "'"));
  if (is_tensor == 0) {
    return fail(Fault::unsupported,
                "the output '" + name + "' is no dense tensor, which is all that can be read here");
  }
  ort::OrtTensorTypeAndShapeInfo* made = nullptr;
  HONE_TRY_DO(runtime.check(api.GetTensorTypeAndShape(value, &made),
                            "cannot read the shape of '" + name + "'"));
  const Owned<ort::OrtTensorTypeAndShapeInfo> info(made, api.ReleaseTensorTypeAndShapeInfo);
  int type = 0;
  std::size_t rank = 0;
  HONE_TRY_DO(runtime.check(api.GetTensorElementType(info.get(), &type),
                            "cannot read the type of '" + name + "'"));
  HONE_TRY_DO(runtime.check(api.GetDimensionsCount(info.get(), &rank),
                            "cannot read the rank of '" + name + "'"));
  Tensor tensor;
  tensor.name = name;
  tensor.type = static_cast<ElementType>(type);
  tensor.dims.resize(rank);
  HONE_TRY_DO(runtime.check(api.GetDimensions(info.get(), tensor.dims.data(), rank),
                            "cannot read '" + name + "'"));
  if (tensor.type == ElementType::string) {
    HONE_TRY_DO(read_strings(runtime, value, tensor));
    return tensor;
  }
  void* data = nullptr;
  HONE_TRY_DO(runtime.check(api.GetTensorMutableData(const_cast<ort::OrtValue*>(value), &data),
                            "cannot read '" + name + "'"));
  tensor.dense = Blob::borrow({static_cast<const char*>(data), tensor.byte_size()});
  return tensor;
}

Result<TensorPtr> from_ort(const Runtime& runtime, const std::string& name,
                           const ort::OrtValue* value) {
  HONE_TRY(const int kind, kind_of(runtime, name, value));
  if (kind == ort::type_map) {
    HONE_TRY(const Owned<ort::OrtValue> values, entry_of(runtime, name, value, 1));
    return from_ort(runtime, name, values.get());
  }
  if (kind == ort::type_sequence) {
    HONE_TRY(const std::vector<TensorPtr> entries, entries_of(runtime, name, value));
    return joined(name, entries);
  }
  HONE_TRY(Tensor tensor, borrow_from_ort(runtime, name, value));
  tensor.dense = Blob::own(std::string(tensor.dense.view()));
  return std::make_shared<const Tensor>(std::move(tensor));
}

Type read_type_info(const ort::Api& api, const ort::OrtTypeInfo* info) {
  int kind = ort::type_unknown;
  const ort::OrtTensorTypeAndShapeInfo* tensor = nullptr;
  Type type;
  if (api.GetOnnxTypeFromTypeInfo(info, &kind) != nullptr || kind != ort::type_tensor) {
    type.kind = kind == ort::type_sequence ? Type::Kind::sequence
                : kind == ort::type_map    ? Type::Kind::map
                                           : Type::Kind::opaque;
    return type;
  }
  if (api.CastTypeInfoToTensorInfo(info, &tensor) != nullptr || tensor == nullptr) return type;
  int element = 0;
  std::size_t rank = 0;
  api.GetTensorElementType(tensor, &element);
  api.GetDimensionsCount(tensor, &rank);
  std::vector<std::int64_t> dims(rank);
  std::vector<const char*> symbols(rank);
  api.GetDimensions(tensor, dims.data(), rank);
  api.GetSymbolicDimensions(tensor, symbols.data(), rank);
  Shape shape(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    if (dims[i] >= 0) shape[i].value = dims[i];
    if (dims[i] < 0 && symbols[i] != nullptr) shape[i].symbol = symbols[i];
  }
  return Type::tensor(static_cast<ElementType>(element), std::move(shape));
}

}  // namespace hone
