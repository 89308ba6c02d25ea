#pragma once
// The parts of the reader that its files share. Private to the model module.

#include <stdexcept>
#include <string>

#include "base/file.h"
#include "model/model.h"
#include "model/wire.h"

namespace hone::reading {

// What a hostile file may make us build. A node of two bytes on the wire costs some hundred bytes
// here, so the number of things is bounded: the largest real graphs have about a hundred thousand
// nodes.
constexpr std::uint64_t max_things = 2'000'000;
constexpr int max_depth = 64;  // of subgraphs inside subgraphs and types inside types
constexpr std::size_t max_rank = 1024;

// Thrown inside the reader only; parse_model turns it into an Error.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Of a file whose bytes may be anybody's.
struct NoModel : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An initializer that a graph has twice, which it may when both are the same: ONNX Runtime saves
// those of subgraphs so, once inside and once in the data file.
struct Repeated {
  Graph* graph;
  Value* value;  // holds the first
  TensorPtr again;
};

// What every function of the reader is handed: the bytes' owner, the limits used up so far.
struct Context {
  std::shared_ptr<const Backing> backing;
  std::uint64_t things = 0;
  std::vector<std::shared_ptr<Tensor>> external{};  // tensors whose bytes are in other files
  std::vector<Repeated> repeated{};

  Blob blob(protozero::data_view view) const { return {{view.data(), view.size()}, backing}; }
  void count_thing() {
    if (++things > max_things) {
      throw Malformed("it holds more than " + std::to_string(max_things) +
                      " nodes, values and attributes");
    }
  }
};

// Walks a message: `known(reader)` handles a field and returns true; when it returns false the
// field is kept word for word in `unknown`.
template <class Known>
void read_fields(Context& context, std::string_view message, UnknownFields& unknown, Known known) {
  wire::pbf_reader reader(message.data(), message.size());
  const char* start = message.data();
  while (reader.next()) {
    const char* payload = reader.data().data();
    if (!known(reader)) {
      if (reader.data().data() == payload) reader.skip();
      const char* end = reader.data().data();
      unknown.push_back({{start, static_cast<std::size_t>(end - start)}, context.backing});
      context.count_thing();
    }
    start = reader.data().data();
  }
}

inline std::string_view get_view(wire::pbf_reader& reader) {
  const protozero::data_view view = reader.get_view();
  return {view.data(), view.size()};
}
inline std::string get_string(wire::pbf_reader& reader) { return std::string(get_view(reader)); }

// Decodes packed varints: calls `each` with every one of them.
template <class Each>
void for_each_varint(std::string_view packed, Each each) {
  const char* at = packed.data();
  const char* end = at + packed.size();
  while (at != end) each(protozero::decode_varint(&at, end));
}

// Appends a repeated integer field in either of its two forms; false when this field is neither.
bool read_ints(wire::pbf_reader& reader, std::uint32_t field, std::vector<std::int64_t>& values);

// One metadata entry. False when the entry has fields we do not know: it is then kept as a whole,
// unread.
bool read_entry(std::string_view message, Metadata& metadata);

Type read_type(Context& context, std::string_view message, int depth);
TensorPtr read_tensor(Context& context, std::string_view message);
SparseTensorPtr read_sparse_tensor(Context& context, std::string_view message);
Attribute read_attribute(Context& context, std::string_view message, Graph& graph, int depth);
void read_graph(Context& context, std::string_view message, Graph& graph, int depth);
void read_nodes(Context& context, const std::vector<std::string_view>& messages, Graph& graph);
// Reads a ValueInfo into the value it is about: one of this graph, one of the graphs around it, or
// a new one here.
Value& read_value_info(Context& context, std::string_view message, Graph& graph);
// A value that belongs to this very graph.
Value& find_or_declare(Context& context, Graph& graph, std::string_view name);
OpsetImport read_opset(Context& context, std::string_view message);
Function read_function(Context& context, std::string_view message);

// Of two tensors for one name keeps the one in the data file, whose bytes are mapped. To be called
// when all bytes are there: tensors that differ are no repetition.
void settle_repeated(const Context& context);

// Maps the data files of the tensors in context.external and points the tensors at their bytes.
Status attach_external_data(Context& context, const Path& folder);

}  // namespace hone::reading
