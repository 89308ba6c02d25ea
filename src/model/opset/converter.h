#pragma once
// What an adapter works with: the step being taken, facts about values, and the few edits that keep
// constants, names and the report in order.

#include <map>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "model/opset/convert.h"
#include "model/opset/facts.h"

namespace hone::opset {

class Converter {
 public:
  Facts facts;

  // The opset the nodes are being rewritten for: one above or below the one they are written in.
  int opset() const { return opset_; }
  void set_step(int opset, bool upwards) {
    opset_ = opset;
    upwards_ = upwards;
  }
  // Function bodies have no initializers; constants are nodes there.
  void set_in_function(bool in_function) { in_function_ = in_function; }

  // --- saying no, and saying what was done. Without a better hint, a refusal says which opsets are
  // possible.
  Failure refuse(const Node& node, const std::string& reason, std::string hint = {}) const;
  void changed(const Node& node, const std::string& what);
  void note(const Node& node, const std::string& text);
  void fill(ConversionReport& report) const;

  // --- constants. `what` is how the input is called in a refusal.
  Result<TensorPtr> constant(const Node& node, std::size_t input, std::string_view what) const;
  Result<std::vector<std::int64_t>> ints(const Node& node, std::size_t input,
                                         std::string_view what) const;
  Value& add_constant(Node& user, std::string_view role, const TensorPtr& tensor);
  Value& add_ints(Node& user, std::string_view role, std::span<const std::int64_t> values,
                  bool scalar = false);
  // A 0-D constant. REQUIRES: can_hold_scalar(type).
  Value& add_scalar(Node& user, std::string_view role, double value, ElementType type);

  // --- edits
  // Leaves an input out, and removes the constant behind it when nothing else uses it.
  void drop_input(Node& node, std::size_t input);
  // Takes left-out inputs from the end of a list that is longer than the older version allows.
  void trim_inputs(Node& node, std::size_t allowed);
  // A node before `position`. Its one output is named after that node and the role.
  struct NewNode {
    std::string op;
    std::vector<Value*> inputs;
    std::vector<Attribute> attributes{};
    Fact fact{};
  };
  Value& insert(const Node& position, std::string_view role, NewNode made);
  // The node keeps its name and outputs and is another op from now on.
  void become(Node& node, std::string op, std::vector<Value*> inputs,
              std::vector<Attribute> attributes = {});

 private:
  void release(Value* value);
  int opset_ = 0;
  bool upwards_ = false;
  bool in_function_ = false;
  std::unordered_set<const Node*> changed_nodes_;
  std::unordered_set<const Node*>
      inserted_;  // ours: what later steps do to them is no change of the model
  std::map<std::pair<std::string, std::string>, std::size_t> changes_;
  std::vector<std::string> notes_;
};

// Attributes cannot be copied, so a list of them cannot be written in braces.
template <class... Each>
std::vector<Attribute> attributes(Each... each) {
  std::vector<Attribute> all;
  (all.push_back(std::move(each)), ...);
  return all;
}

// float, double, the 16-bit floats and the integers of 8 bits and more.
bool can_hold_scalar(ElementType type);
TensorPtr make_scalar(double value, ElementType type);

// True for an attribute of a function body that stands for a parameter: its value is not known
// here.
inline bool is_parameter(const Attribute& attribute) { return !attribute.reference.empty(); }

}  // namespace hone::opset
