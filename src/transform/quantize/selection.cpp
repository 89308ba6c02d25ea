#include "transform/quantize/selection.h"

#include <algorithm>

#include "base/misuse.h"
#include "base/text.h"

namespace hone {
namespace {

bool is_meant(const Node& node, std::string_view word) {
  return word == node.op_type || matches_glob(word, name_in_lists(node));
}

}  // namespace

std::string_view name_in_lists(const Node& node) {
  if (!node.name.empty()) return node.name;
  const auto made = std::ranges::find_if(node.outputs(), [](const Value* value) { return value; });
  return made != node.outputs().end() ? std::string_view((*made)->name()) : std::string_view();
}

bool matches_glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the last '*', and what it stands for so far
  std::size_t star_end = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_end = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_end;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool is_meant(const Node& node, const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [&](const std::string& word) { return is_meant(node, word); });
}

Status check_words(const Model& model, const std::vector<std::string>& words,
                   std::string_view flag) {
  if (words.empty()) return done();
  std::vector<const Node*> nodes;
  for_each_graph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) nodes.push_back(&node);
  });
  for (const std::string& word : words) {
    const bool is_known =
        std::ranges::any_of(nodes, [&](const Node* node) { return is_meant(*node, word); });
    if (is_known) continue;
    std::vector<std::string> names;
    for (const Node* node : nodes) {
      names.emplace_back(name_in_lists(*node));
      names.push_back(node->op_type);
    }
    const std::string near = nearest(word, names);
    return misuse(std::string(flag) + " '" + printable(word) + "' means no node of the model",
                  near.empty() ? "give a node's name, a glob like '/encoder/*', or an op type"
                               : "did you mean '" + printable(near) + "'?");
  }
  return done();
}

bool is_selected(const Node& node, const QuantizeSettings& settings) {
  if (!can_be_quantized(node) || is_meant(node, settings.exclude)) return false;
  return settings.include.empty() ? takes_node(settings.preset, node)
                                  : is_meant(node, settings.include);
}

}  // namespace hone
