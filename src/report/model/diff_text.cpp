#include "report/model/diff_text.h"

#include <array>
#include <set>

#include "base/counted.h"
#include "base/text.h"
#include "report/table.h"

namespace hone {
namespace {

using text_form::Rows;
using text_form::table;

constexpr std::size_t most_rows = 20;

struct Form {
  const Style& style;
  bool shows_all;
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
std::string shortened(const std::string& name, const Form& form) {
  constexpr std::size_t most_bytes = 56;
  if (form.shows_all || name.size() <= most_bytes) return name;
  std::size_t start = name.size() - most_bytes + 3;
  while (start < name.size() && (static_cast<unsigned char>(name[start]) & 0xC0) == 0x80) ++start;
  return "..." + name.substr(start);
}

// "17 -> 21", "float[2] -> nothing"; empty when there is nothing to show on either side.
std::string transition(const ModelChange& change, const Form& form) {
  if (change.before.is_null() && change.after.is_null()) return "";
  if (change.action == ChangeAction::added) return text_of(change.after);
  if (change.action == ChangeAction::removed) return text_of(change.before);
  const auto side = [&](const Json& value) {
    return value.is_null() ? "nothing" : shortened(text_of(value), form);
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
std::string title_of(const ModelDiff& diff, const Section& section, const Form& form) {
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
  return form.style.bold(section.title) + ": " + join(counts, ", ") + "\n";
}

std::string section_text(const ModelDiff& diff, const Section& section, const Form& form) {
  Rows rows;
  for (const ModelChange& change : diff.changes) {
    if (change.thing != section.thing) continue;
    rows.push_back({std::string(sign_of(change.action)), shortened(change.name, form),
                    change.detail, transition(change, form)});
  }
  if (rows.empty()) return "";
  const std::size_t most = form.shows_all ? rows.size() : most_rows;
  return title_of(diff, section, form) + table(rows, {.most_rows = most});
}

std::string counts_text(const ModelDiff& diff, const Form& form) {
  Rows rows;
  for (const OpCountChange& change : diff.op_counts) {
    rows.push_back({change.op, format_count(change.before) + " -> " + format_count(change.after)});
  }
  if (rows.empty()) return "";
  const std::size_t most = form.shows_all ? rows.size() : most_rows;
  return form.style.bold("node counts") + "\n" + table(rows, {.most_rows = most});
}

}  // namespace

std::string describe_model_diff(const ModelDiff& diff, const Style& style, bool shows_all) {
  const Form form{style, shows_all};
  std::string text;
  for (const Section& section : sections) {
    if (section.thing == ChangedThing::node) text += counts_text(diff, form);
    text += section_text(diff, section, form);
  }
  if (diff.absent_weights > 0) {
    text += "not compared: the content of " + counted(diff.absent_weights, "initializer") +
            " whose data is absent\n";
  }
  return text + (diff.equal ? "equal" : counted(diff.changes.size(), "change")) + "\n";
}

}  // namespace hone
