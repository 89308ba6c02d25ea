#pragma once
// A family of architectures: which checkpoints are of it, what they can be exported for, and their
// graph. A family is one file in families/ that returns a Family, and one line in families.inc;
// `hone export`, help, errors and docs/export.md are derived from it.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/net.h"

namespace hone {

// What is to be written: one graph of a task.
struct WantedGraph {
  std::string task;  // "text-classification", as `hone export --task` has it
  std::string part;  // "model", or of a composite: "encoder_model", "decoder_model", ...
};

struct Family {
  std::string_view name;                      // for ever: receipts hold it
  std::vector<std::string_view> model_types;  // `model_type` of config.json
  // What it can be exported for. The first is what a checkpoint without a head is for.
  std::vector<std::string_view> tasks;
  // The graphs of a task, in the order in which they run; null: {"model"}.
  std::vector<std::string> (*parts)(const Config& config, std::string_view task) = nullptr;
  // Writes one of them. What is wrong is noted in the Net's problems.
  void (*write)(Net& net, const Config& config, const WantedGraph& wanted) = nullptr;
};

std::span<const Family> all_families();
// Null when no family has it.
const Family* find_family(std::string_view model_type);

// The task of a checkpoint's `architectures` ("BertForMaskedLM": "fill-mask"); empty when the name
// says none that we know.
std::string_view task_of_architecture(std::string_view architecture);
// All that a --task can be, in the order of their table.
std::vector<std::string> task_names();

namespace families {
#define HONE_FAMILY(name) Family name();
#include "checkpoint/families.inc"
#undef HONE_FAMILY
}  // namespace families

}  // namespace hone
