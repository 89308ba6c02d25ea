#pragma once
// For the tests of this folder: graphs as text in, graphs as text out.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "model/fingerprint.h"
#include "model/opset/convert.h"
#include "model/text/text.h"

namespace hone::opset {

inline Model model_of(int opset, std::string_view graph) {
  const std::string header = "<ir_version: " + std::to_string(ir_version_of_opset(opset)) +
                             ", opset_import: [\"\" : " + std::to_string(opset) + "]>\n";
  Result<Model> model = parse_text(header + std::string(graph));
  EXPECT_TRUE(model.has_value()) << (model ? "" : model.error().what);
  return model ? std::move(*model) : Model{};
}

// The model as text without its header, attributes by name: their order means nothing.
inline std::string text_of(Model& model) {
  for_each_graph(model, [](Graph& graph) {
    for (Node& node : graph.nodes()) {
      std::sort(node.attributes.begin(), node.attributes.end(),
                [](const Attribute& a, const Attribute& b) { return a.name < b.name; });
    }
  });
  return print_text(*model.graph, PrintOptions::everything());
}

// The graph as the printer writes it, so that expectations can be laid out for the reader.
inline std::string same(std::string_view graph, int opset) {
  Model model = model_of(opset, graph);
  return text_of(model);
}

inline std::string converted(std::string_view graph, int from, int to) {
  Model model = model_of(from, graph);
  const auto report = convert_opset(model, to);
  if (!report) return "refused: " + report.error().what;
  return text_of(model);
}

// Up and down again is the same model, by text and by fingerprint, and the way up changed
// something.
inline void expect_round_trip(std::string_view graph, int from, int to) {
  Model model = model_of(from, graph);
  const Digest before = *content_fingerprint(model);
  const std::string text = text_of(model);
  const auto there = convert_opset(model, to);
  ASSERT_TRUE(there.has_value()) << there.error().what;
  EXPECT_GT(there->changed_nodes, 0U) << graph;
  EXPECT_NE(before, *content_fingerprint(model));
  const auto back = convert_opset(model, from);
  ASSERT_TRUE(back.has_value()) << back.error().what;
  EXPECT_EQ(before, *content_fingerprint(model)) << print_text(model);
  EXPECT_EQ(text, text_of(model));
}

}  // namespace hone::opset
