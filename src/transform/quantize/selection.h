#pragma once
// Which nodes are meant: by name, by glob, or by op type.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "transform/quantize/settings.h"

namespace hone {

// '*' stands for any run of characters, '?' for any one.
bool matches_glob(std::string_view pattern, std::string_view text);

// A node without a name goes by that of its first output.
std::string_view name_in_lists(const Node& node);

bool is_meant(const Node& node, const std::vector<std::string>& words);

// Refuses a word that means no node of the model, in subgraphs too, with the nearest name.
Status check_words(const Model& model, const std::vector<std::string>& words,
                   std::string_view flag);

// Whether the node is to be quantized: what --include names, or else what the preset takes, less
// what --exclude names.
bool is_selected(const Node& node, const QuantizeSettings& settings);

}  // namespace hone
