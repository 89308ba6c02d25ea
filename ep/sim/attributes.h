#pragma once
// Attributes of nodes, copied through the C interface: the model editor frees what it is given, so
// a graph's own must never be handed to it.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ep/graph.h"

namespace hone::ep::sim {

// REQUIRES: obstacle_to_copying() found none.
Result<std::vector<Owned<OrtOpAttr>>> copy_attributes(const Ort& ort, const OrtNode* node);

// Names an attribute that has no copy: there is no function that makes a tensor or a graph.
Result<std::optional<std::string>> obstacle_to_copying(const Ort& ort, const OrtNode* node);

Result<Owned<OrtOpAttr>> make_attribute(const Ort& ort, const char* name, const std::string& text);
Result<Owned<OrtOpAttr>> make_attribute(const Ort& ort, const char* name, std::int64_t number);

// A node of the model editor; the attributes are consumed.
struct NodeParts {
  std::string op;
  std::string domain;
  std::string name;
  std::vector<std::string> inputs;  // empty where one is left out
  std::vector<std::string> outputs;
  std::vector<Owned<OrtOpAttr>> attributes;
};
Result<Owned<OrtNode>> make_node(const Ort& ort, NodeParts parts);

}  // namespace hone::ep::sim
