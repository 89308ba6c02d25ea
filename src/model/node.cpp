// Attributes of a node, and how a node is named in messages.

#include <algorithm>

#include "base/text.h"
#include "model/graph.h"

namespace hone {
namespace {

template <class T>
Attribute hold(std::string name, T value) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.held = std::move(value);
  return attribute;
}

}  // namespace

std::vector<Graph*> Attribute::graphs() const {
  if (const auto* one = std::get_if<std::unique_ptr<Graph>>(&held)) return {one->get()};
  std::vector<Graph*> found;
  if (const auto* several = std::get_if<std::vector<std::unique_ptr<Graph>>>(&held)) {
    for (const auto& graph : *several) found.push_back(graph.get());
  }
  return found;
}

Attribute make_attribute(std::string name, std::int64_t value) {
  return hold(std::move(name), value);
}
Attribute make_attribute(std::string name, float value) { return hold(std::move(name), value); }
Attribute make_attribute(std::string name, std::string value) {
  return hold(std::move(name), Blob::own(std::move(value)));
}
Attribute make_attribute(std::string name, Attribute::Ints value) {
  return hold(std::move(name), std::move(value));
}
Attribute make_attribute(std::string name, Attribute::Floats value) {
  return hold(std::move(name), std::move(value));
}
Attribute make_attribute(std::string name, TensorPtr value) {
  return hold(std::move(name), std::move(value));
}

const Attribute* Node::attribute(std::string_view attribute_name) const {
  for (const Attribute& attribute : attributes) {
    if (attribute.name == attribute_name) return &attribute;
  }
  return nullptr;
}

std::int64_t Node::int_or(std::string_view attribute_name, std::int64_t otherwise) const {
  const Attribute* found = attribute(attribute_name);
  return found && found->as_int() ? *found->as_int() : otherwise;
}

float Node::float_or(std::string_view attribute_name, float otherwise) const {
  const Attribute* found = attribute(attribute_name);
  return found && found->as_float() ? *found->as_float() : otherwise;
}

std::string Node::string_or(std::string_view attribute_name, std::string_view otherwise) const {
  const Attribute* found = attribute(attribute_name);
  return std::string(found && found->as_string() ? found->as_string()->view() : otherwise);
}

void Node::set_attribute(Attribute attribute) {
  for (Attribute& existing : attributes) {
    if (existing.name != attribute.name) continue;
    existing = std::move(attribute);
    return;
  }
  attributes.push_back(std::move(attribute));
}

bool Node::remove_attribute(std::string_view attribute_name) {
  return std::erase_if(attributes, [&](const Attribute& attribute) {
           return attribute.name == attribute_name;
         }) > 0;
}

std::vector<Graph*> Node::subgraphs() const {
  std::vector<Graph*> found;
  for (const Attribute& attribute : attributes) {
    const std::vector<Graph*> held = attribute.graphs();
    found.insert(found.end(), held.begin(), held.end());
  }
  return found;
}

std::string describe(const Node& node) {
  if (!node.name.empty())
    return "node '" + printable(node.name) + "' (" + printable(node.op_type) + ")";
  for (const Value* output : node.outputs()) {
    if (output != nullptr) {
      return "the " + printable(node.op_type) + " that makes '" + printable(output->name()) + "'";
    }
  }
  return "a " + printable(node.op_type) + " without a name";
}

}  // namespace hone
