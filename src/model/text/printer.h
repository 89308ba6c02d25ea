#pragma once
// Writes the parts of a model as text.

#include <optional>
#include <string>
#include <string_view>

#include "model/text/text.h"

namespace hone::syntax {

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  void model(const Model& model);
  void graph(const Graph& graph);
  void node(const Node& node);
  std::string take() { return std::move(out_); }

 private:
  // ---- print_graphs.cpp
  void function(const Function& function);
  void graph_body(const Graph& graph);
  void value(const Value& value);
  void value_list(const std::vector<Value*>& values);
  void initializers_and_infos(const Graph& graph);
  void operands(const std::vector<Value*>& values);
  void op(const Node& node);
  void node_attributes(const Node& node);
  void header(const std::vector<std::string>& lines);
  void new_line();

  // ---- print_parts.cpp
  void note(const std::string& doc, const Metadata& metadata, const std::string& denotation = {});
  void dim(const Dim& dim);
  void tensor_type(const Type& type);
  void opaque_type(const Type& type);
  void type(const Type& type);
  void elements(const Tensor& tensor);
  void tensor_data(const Tensor& tensor);
  void tensor(const Tensor& tensor);
  void initializer(const Tensor& tensor, std::string_view name);
  // With the name when it is an initializer.
  void sparse_tensor(const SparseTensor& sparse, std::optional<std::string_view> name);
  void string_value(std::string_view text);
  template <class Items, class Print>
  void list(const Items& items, Print print);

  void attribute(const Attribute& attribute);
  void attribute_value(std::monostate held);
  void attribute_value(float held);
  void attribute_value(std::int64_t held);
  void attribute_value(const Blob& held);
  void attribute_value(const TensorPtr& held);
  void attribute_value(const std::unique_ptr<Graph>& held);
  void attribute_value(const SparseTensorPtr& held);
  void attribute_value(const Type& held);
  template <class T>
  void attribute_value(const std::vector<T>& held);

  const PrintOptions options_;
  std::string out_;
  int indent_ = 0;
};

// ["key": "value", ...]
void append_entries(std::string& out, const Metadata& entries);

}  // namespace hone::syntax
