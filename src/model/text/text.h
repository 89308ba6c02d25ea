#pragma once
// Models as text, in ONNX's own syntax (docs/text.md says where ours goes further). With
// PrintOptions::everything() nothing but unknown fields is lost: parsing gives the same content,
// and printing that gives the same text.

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/model.h"

namespace hone {

struct PrintOptions {
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

  // Tensors and lists with more elements, and strings with more bytes, show their beginning and
  // `...`, which parse_text refuses: what was left out cannot be mistaken for data.
  std::size_t max_elements = 16;
  std::size_t max_string = 1024;
  // Documentation, metadata and denotations of graphs, nodes, values, tensors and types; and the
  // types of initializers where they only repeat what the data says.
  bool notes = false;
  // float16 and bfloat16 as values (1.5), which ONNX's own parser does not read, instead of bit
  // patterns.
  bool half_values = false;

  static PrintOptions everything() {
    return {.max_elements = unlimited, .max_string = unlimited, .notes = true};
  }
};

// Names and strings stand in the text byte for byte, control characters too: it is for files and
// tests, and needs printable() on its way to a terminal.
std::string print_text(const Model& model, const PrintOptions& options = {});
std::string print_text(const Graph& graph, const PrintOptions& options = {});
std::string print_text(const Node& node, const PrintOptions& options = {});

// What a text says that does not say it: a bare graph is a model of this format and opset.
inline constexpr std::int64_t default_ir_version = 10;
inline constexpr std::int64_t default_opset = 21;

// A model: header, graph, functions. The header, ir_version and opset_import may be left out.
// External data is taken as a reference: its tensors are `absent`. An error names line, column,
// what was expected and found.
Result<Model> parse_text(std::string_view text);

}  // namespace hone
