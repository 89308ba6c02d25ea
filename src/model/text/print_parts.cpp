// Types, tensors, attributes and notes as text.

#include <algorithm>

#include "model/text/elements.h"
#include "model/text/names.h"
#include "model/text/numbers.h"
#include "model/text/printer.h"

namespace hone::syntax {
namespace {

// How much of what is too long is shown: enough to recognize it.
constexpr std::size_t shown_elements = 4;
constexpr std::size_t shown_bytes = 32;

void append_dims(std::string& out, const std::vector<std::int64_t>& dims) {
  if (dims.empty()) return;
  out += '[';
  for (const std::int64_t dim : dims) {
    if (out.back() != '[') out += ',';
    append_integer(out, dim);
  }
  out += ']';
}

// Cuts between two characters of UTF-8.
std::string_view beginning(std::string_view text, std::size_t bytes) {
  while (bytes > 0 && (text[bytes] & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

// Elements we have and know how to write.
bool can_show(const Tensor& tensor) {
  if (tensor.absent) return false;
  if (tensor.type == ElementType::string) return true;
  return tensor.dense.size() == tensor.byte_size() &&
         (bits_of(tensor.type) > 0 || tensor.element_count() == 0);
}

// What cannot be told from the value alone stands before it.
bool needs_type(const Attribute& attribute) {
  if (!attribute.reference.empty()) return attribute.declared != AttributeType::undefined;
  return std::visit(
      [](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return true;
        } else if constexpr (std::is_same_v<T, Type>) {
          return !held.is_known();
        } else if constexpr (std::is_same_v<T, std::vector<Type>>) {
          return held.empty() || !held.front().is_known();
        } else if constexpr (requires { typename T::allocator_type; }) {
          return held.empty();
        } else {
          return false;
        }
      },
      attribute.held);
}

}  // namespace

void append_entries(std::string& out, const Metadata& entries) {
  out += '[';
  const char* separator = "";
  for (const auto& [key, value] : entries) {
    out += separator;
    append_quoted(out, key);
    out += ": ";
    append_quoted(out, value);
    separator = ", ";
  }
  out += ']';
}

void Printer::note(const std::string& doc, const Metadata& metadata,
                   const std::string& denotation) {
  if (!options_.notes || (doc.empty() && metadata.empty() && denotation.empty())) return;
  out_ += " !<";
  const char* separator = "";
  const auto text = [&](std::string_view key, std::string_view said) {
    if (said.empty()) return;
    out_ += separator;
    out_ += key;
    append_quoted(out_, said);
    separator = ", ";
  };
  text("doc_string: ", doc);
  text("denotation: ", denotation);
  if (!metadata.empty()) {
    out_ += separator;
    out_ += "metadata_props: ";
    append_entries(out_, metadata);
  }
  out_ += '>';
}

// Prints what stands between the brackets, or its beginning when it is too long.
template <class Items, class Print>
void Printer::list(const Items& items, Print print) {
  const bool is_long = items.size() > options_.max_elements;
  const std::size_t shown =
      is_long ? std::min(shown_elements, options_.max_elements) : items.size();
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out_ += ", ";
    print(items[i]);
  }
  if (is_long) out_ += shown > 0 ? ", ..." : "...";
}

void Printer::dim(const Dim& dim) {
  if (dim.value) {
    append_integer(out_, *dim.value);
  } else if (dim.symbol.empty()) {
    out_ += '?';
  } else {
    append_word(out_, dim.symbol);
  }
  note({}, {}, dim.denotation);
}

void Printer::tensor_type(const Type& type) {
  out_ += element_word(type.element);
  if (!type.shape) {
    out_ += "[]";
  } else if (!type.shape->empty()) {
    out_ += '[';
    for (const Dim& held : *type.shape) {
      if (&held != &type.shape->front()) out_ += ',';
      dim(held);
    }
    out_ += ']';
  }
}

void Printer::opaque_type(const Type& type) {
  const auto dotted = [&](const std::string& name) {
    if (is_dotted(name)) {
      out_ += name;
    } else {
      append_quoted(out_, name);
    }
  };
  if (!type.opaque_domain.empty()) {
    dotted(type.opaque_domain);
    out_ += ',';
  }
  if (!type.opaque_domain.empty() || !type.opaque_name.empty()) dotted(type.opaque_name);
}

void Printer::type(const Type& type) {
  const auto inner = [&] {
    if (type.inner && type.inner->is_known()) {
      this->type(*type.inner);
    } else {
      out_ += '?';
    }
  };
  switch (type.kind) {
    case Type::Kind::none:
      out_ += '?';
      break;
    case Type::Kind::tensor:
      tensor_type(type);
      break;
    case Type::Kind::sparse_tensor:
      out_ += "sparse_tensor(";
      tensor_type(type);
      break;
    case Type::Kind::sequence:
      out_ += "seq(";
      inner();
      break;
    case Type::Kind::optional:
      out_ += "optional(";
      inner();
      break;
    case Type::Kind::map:
      out_ += "map(" + element_word(type.element) + ", ";
      inner();
      break;
    case Type::Kind::opaque:
      out_ += "opaque(";
      opaque_type(type);
      break;
  }
  if (type.is_known() && !type.is_tensor()) out_ += ')';
  note({}, {}, type.denotation);
}

void Printer::string_value(std::string_view text) {
  const bool is_long = text.size() > options_.max_string;
  const std::size_t bytes = std::min(shown_bytes, options_.max_string);
  append_quoted(out_, is_long ? beginning(text, bytes) : text);
  if (is_long) out_ += "...";
}

void Printer::elements(const Tensor& tensor) {
  out_ += '{';
  if (tensor.type == ElementType::string) {
    list(tensor.strings, [&](const std::string& element) { string_value(element); });
  } else {
    struct Indices {
      std::uint64_t count;
      std::uint64_t size() const { return count; }
      std::uint64_t operator[](std::uint64_t index) const { return index; }
    };
    list(Indices{tensor.element_count()}, [&](std::uint64_t index) {
      append_element(out_, tensor.type, tensor.dense.view(), index, options_.half_values);
    });
  }
  out_ += '}';
}

void Printer::tensor_data(const Tensor& tensor) {
  if (tensor.external) {
    Metadata entries = {{"location", tensor.external->location},
                        {"offset", std::to_string(tensor.external->offset)},
                        {"length", std::to_string(tensor.external->length)}};
    entries.insert(entries.end(), tensor.external->other.begin(), tensor.external->other.end());
    append_entries(out_, entries);
  } else if (can_show(tensor)) {
    elements(tensor);
  } else {
    out_ += "...";
  }
  note(tensor.doc, tensor.metadata);
}

void Printer::initializer(const Tensor& tensor, std::string_view name) {
  out_ += element_word(tensor.type);
  append_dims(out_, tensor.dims);
  out_ += ' ';
  append_name(out_, name);
  out_ += " = ";
  tensor_data(tensor);
}

void Printer::tensor(const Tensor& tensor) {
  out_ += element_word(tensor.type);
  append_dims(out_, tensor.dims);
  if (!tensor.name.empty()) {
    out_ += ' ';
    append_word(out_, tensor.name);
  }
  // Without the sign, brackets would be read as a shape.
  out_ += tensor.external ? " = " : " ";
  tensor_data(tensor);
}

void Printer::sparse_tensor(const SparseTensor& sparse, std::optional<std::string_view> name) {
  out_ += "sparse_tensor(" + element_word(sparse.values->type);
  append_dims(out_, sparse.dims);
  out_ += ')';
  if (name) {
    out_ += ' ';
    append_name(out_, *name);
    out_ += " =";
  }
  out_ += " {";
  Tensor values = *sparse.values;
  if (name) values.name.clear();  // it is the initializer's
  tensor(values);
  out_ += ", ";
  tensor(*sparse.indices);
  out_ += '}';
}

void Printer::attribute(const Attribute& attribute) {
  append_word(out_, attribute.name);
  if (needs_type(attribute)) {
    out_ += ": ";
    out_ += attribute_type_word(attribute.type());
  }
  note(attribute.doc, {});
  out_ += " = ";
  if (!attribute.reference.empty()) {
    out_ += '@';
    append_word(out_, attribute.reference);
  } else {
    std::visit([&](const auto& held) { attribute_value(held); }, attribute.held);
  }
}

void Printer::attribute_value(std::monostate) { out_ += '?'; }
void Printer::attribute_value(float held) { append_real_with_point(out_, held); }
void Printer::attribute_value(std::int64_t held) { append_integer(out_, held); }
void Printer::attribute_value(const Blob& held) { string_value(held.view()); }
void Printer::attribute_value(const TensorPtr& held) { tensor(*held); }
void Printer::attribute_value(const std::unique_ptr<Graph>& held) { graph(*held); }
void Printer::attribute_value(const SparseTensorPtr& held) { sparse_tensor(*held, std::nullopt); }
void Printer::attribute_value(const Type& held) { type(held); }

template <class T>
void Printer::attribute_value(const std::vector<T>& held) {
  out_ += '[';
  list(held, [&](const T& value) { attribute_value(value); });
  out_ += ']';
}

}  // namespace hone::syntax
