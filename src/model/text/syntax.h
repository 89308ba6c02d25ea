#pragma once
// What the parser makes of a text before any of it is linked: nodes may use values that come later,
// so names stay names until a whole graph is read.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "model/text/cursor.h"

namespace hone::syntax {

// Of subgraphs inside subgraphs and types inside types, as for files.
inline constexpr int max_depth = 64;
inline constexpr std::size_t max_rank = 1024;

struct Name {
  std::string text;
  std::size_t offset = 0;
};

// !<doc_string: "...", metadata_props: [...]>
struct Note {
  std::string doc;
  Metadata metadata;
};

// An input, output, value info or initializer.
struct ValueSyntax {
  Type type;
  Name name;
  Note note;
  TensorPtr tensor;
  SparseTensorPtr sparse;
};

struct GraphSyntax;

struct AttributeSyntax {
  Attribute attribute;
  AttributeType graph_type = AttributeType::undefined;  // graph or graphs when it holds those below
  std::vector<GraphSyntax> graphs;
};

struct NodeSyntax {
  std::string name;
  std::string domain;
  std::string op_type;
  std::string overload;
  std::vector<Name> inputs;  // an empty name is left out
  std::vector<Name> outputs;
  std::vector<AttributeSyntax> attributes;
  Note note;
};

struct GraphSyntax {
  std::string name;
  Note note;
  std::vector<ValueSyntax> inputs;
  std::vector<ValueSyntax> outputs;
  std::vector<ValueSyntax> values;  // initializers and value infos
  std::vector<NodeSyntax> nodes;
};

// ---- read_parts.cpp
Result<Name> read_name(Cursor& cursor, std::string_view what);
Result<std::string> read_string(Cursor& cursor, std::string_view what);
// '[' "key": "value", ... ']'
Result<Metadata> read_entries(Cursor& cursor);
// Nothing where there is no note.
Result<Note> read_note(Cursor& cursor);
// A note that may hold this one key: !<denotation: "...">
Result<std::string> read_note_of(Cursor& cursor, const std::string& key);
// '<' key: value, ... '>': calls `read` behind each "key:". `keys` are those it knows; no key may
// come twice.
Status read_keys(Cursor& cursor, std::span<const std::string> keys,
                 const std::function<Status(std::string_view key)>& read);

// ---- read_types.cpp
bool at_type(const Cursor& cursor);
Result<Type> read_type(Cursor& cursor, int depth = 0);

// ---- read_tensors.cpp
// The data of a tensor of this type, at its '{' or '['. `offset` is where the type stands.
Result<TensorPtr> read_tensor(Cursor& cursor, const Type& type, std::size_t offset,
                              std::string name);
// '{' values, indices '}'
Result<SparseTensorPtr> read_sparse_tensor(Cursor& cursor, const Type& type, std::size_t offset,
                                           std::string name);

// ---- read_attributes.cpp
// The attribute after its name.
Result<AttributeSyntax> read_attribute(Cursor& cursor, std::string name, int depth);
// '<' attributes '>', or nothing.
Result<std::vector<AttributeSyntax>> read_attributes(Cursor& cursor, int depth);

// ---- read_graphs.cpp
Result<GraphSyntax> read_graph(Cursor& cursor, int depth);
// What follows the name.
Result<GraphSyntax> read_graph_body(Cursor& cursor, std::string name, int depth);

// ---- build.cpp
// Links a graph. `graph` is new and empty; the cursor is there to say where an error is.
Status build_graph(const Cursor& cursor, GraphSyntax&& syntax, Graph& graph);
Result<Attribute> build_attribute(const Cursor& cursor, AttributeSyntax&& syntax, Graph& graph);

}  // namespace hone::syntax
