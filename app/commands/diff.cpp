// What changed between two models.

#include "inspect/diff.h"
#include "base/counted.h"

#include <array>
#include <set>

#include "app/command.h"
#include "app/table.h"
#include "base/text.h"
#include "flow/given_model.h"
#include "model/model.h"

namespace hone::app::commands {
namespace {

constexpr std::size_t most_rows = 20;

struct Arguments {
  std::string before;
  std::string after;
};

struct Section {
  ChangedThing thing;
  std::string_view title;
};

constexpr std::array<Section, 8> sections = {{
    {ChangedThing::ir_version, "ir version"},
    {ChangedThing::opset, "opsets"},
    {ChangedThing::metadata, "metadata"},
    {ChangedThing::function, "functions"},
    {ChangedThing::input, "inputs"},
    {ChangedThing::output, "outputs"},
    {ChangedThing::initializer, "initializers"},
    {ChangedThing::node, "nodes"},
}};

std::string text_of(const Json& value) {
  return value.as_string() != nullptr ? *value.as_string() : value.dump(-1);
}

// Names of exporters are paths, and their ends tell them apart.
std::string shortened(const std::string& name, const Call& call) {
  constexpr std::size_t most_bytes = 56;
  if (call.is_verbose() || name.size() <= most_bytes) return name;
  std::size_t start = name.size() - most_bytes + 3;
  while (start < name.size() && (static_cast<unsigned char>(name[start]) & 0xC0) == 0x80) ++start;
  return "..." + name.substr(start);
}

// "17 -> 21", "float[2] -> nothing"; empty when there is nothing to show on either side.
std::string transition(const ModelChange& change, const Call& call) {
  if (change.before.is_null() && change.after.is_null()) return "";
  if (change.action == ChangeAction::added) return text_of(change.after);
  if (change.action == ChangeAction::removed) return text_of(change.before);
  const auto side = [&](const Json& value) {
    return value.is_null() ? "nothing" : shortened(text_of(value), call);
  };
  return side(change.before) + " -> " + side(change.after);
}

std::string_view sign_of(ChangeAction action) {
  switch (action) {
    case ChangeAction::added:
      return "+";
    case ChangeAction::removed:
      return "-";
    case ChangeAction::changed:
      return "~";
  }
  return "?";
}

// "nodes: 68 added, 9 removed".
std::string title_of(const ModelDiff& diff, const Section& section, const Call& call) {
  std::vector<std::string> counts;
  for (const ChangeAction action :
       {ChangeAction::added, ChangeAction::removed, ChangeAction::changed}) {
    std::set<std::string_view> names;  // a thing that changed in two ways is one thing
    for (const ModelChange& change : diff.changes) {
      if (change.thing == section.thing && change.action == action) names.insert(change.name);
    }
    if (names.empty()) continue;
    counts.push_back(format_count(names.size()) + " " + std::string(name_of(action)));
  }
  return call.style().bold(section.title) + ": " + join(counts, ", ") + "\n";
}

std::string section_text(const ModelDiff& diff, const Section& section, const Call& call) {
  Rows rows;
  for (const ModelChange& change : diff.changes) {
    if (change.thing != section.thing) continue;
    rows.push_back({std::string(sign_of(change.action)), shortened(change.name, call),
                    change.detail, transition(change, call)});
  }
  if (rows.empty()) return "";
  const std::size_t most = call.is_verbose() ? rows.size() : most_rows;
  return title_of(diff, section, call) + table(rows, {.most_rows = most});
}

std::string counts_text(const ModelDiff& diff, const Call& call) {
  Rows rows;
  for (const OpCountChange& change : diff.op_counts) {
    rows.push_back({change.op, format_count(change.before) + " -> " + format_count(change.after)});
  }
  if (rows.empty()) return "";
  const std::size_t most = call.is_verbose() ? rows.size() : most_rows;
  return call.style().bold("node counts") + "\n" + table(rows, {.most_rows = most});
}

std::string text_of(const ModelDiff& diff, const Call& call) {
  std::string text;
  for (const Section& section : sections) {
    if (section.thing == ChangedThing::node) text += counts_text(diff, call);
    text += section_text(diff, section, call);
  }
  if (diff.absent_weights > 0) {
    text += "not compared: the content of " + counted(diff.absent_weights, "initializer") +
            " whose data is absent\n";
  }
  return text + (diff.equal ? "equal" : counted(diff.changes.size(), "change")) + "\n";
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY(const Path before_file, find_model_file(arguments.before));
  HONE_TRY(const Path after_file, find_model_file(arguments.after));
  HONE_TRY(const Model before, load_model(before_file));
  HONE_TRY(const Model after, load_model(after_file));
  const ModelDiff diff = diff_models(before, after);
  HONE_TRY_DO(call.answer(to_document(diff, 1), text_of(diff, call)));
  return diff.equal ? ExitCode::done : ExitCode::not_held;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.model(arguments->before, "BEFORE", "the first model; -m and --model take it too");
  options.positional("AFTER", arguments->after, "the model to compare it with");
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command diff() {
  return {.name = "diff",
          .group = "look at a model",
          .summary = "Show what changed between two models; exit 3 if anything did",
          .help =
              "Compares opsets, inputs, outputs, nodes, attributes and weights. Nodes are\n"
              "matched by name, then by structure, so a renamed node is no change; neither is\n"
              "the order of nodes, nor where weights are stored. Long lists are cut; -v shows\n"
              "all of them, and so does --format json.",
          .examples =
              "hone diff bert.onnx bert.optimized.onnx\n"
              "hone diff bert.onnx bert.opset21.onnx --format json",
          .declare = declare};
}

}  // namespace hone::app::commands
