#include "report/parts/parts_text.h"

#include "base/counted.h"
#include "base/join_some.h"
#include "base/text.h"
#include "report/build/build_text.h"
#include "report/table.h"

namespace hone {
namespace {

using text_form::Rows;
using text_form::table;

std::string heading(const std::string& model, const Composite& composite) {
  return printable(model) + ": " + counted(composite.parts.size(), "model") +
         " that work together\n";
}

std::string names_text(const std::vector<ValueFacts>& values) {
  constexpr std::size_t most = 4;
  std::vector<std::string> names;
  for (const ValueFacts& value : values) names.push_back(printable(value.name));
  return join_some(names, most);
}

std::string feeds_text(const Composite& composite) {
  std::string text;
  for (const CompositeFeed& feed : composite.feeds) {
    text += "  " + printable(feed.output) + " of " + printable(feed.from) + " is " +
            printable(feed.input) + " of " + printable(feed.to) +
            (feed.from == feed.to ? ", in the next step" : "") + "\n";
  }
  return text;
}

std::string milliseconds(const std::optional<double>& value) {
  return value ? text_form::duration(*value * 1000) : "-";
}

}  // namespace

std::string describe_parts(const CompositeFacts& facts) {
  std::string text = heading(facts.model, facts.composite);
  Rows rows = {{"part", "precision", "nodes", "parameters", "size"}};
  for (const auto& [part, one] : facts.parts) {
    rows.push_back({part, one.precision, format_count(one.nodes), format_count(one.parameters),
                    format_bytes(one.bytes)});
  }
  text += table(rows, {.right = "234"});
  for (const auto& [part, one] : facts.parts)
    text += printable(part) + "\n  " + names_text(one.inputs) + "\n  -> " +
            names_text(one.outputs) + "\n";
  if (!facts.composite.feeds.empty()) text += "what feeds what\n" + feeds_text(facts.composite);
  if (facts.composite.variants.empty()) return text;
  constexpr std::size_t most = 6;
  std::vector<std::string> others;
  for (const std::string& file : facts.composite.variants) others.push_back(printable(file));
  return text + "also there: " + join_some(others, most) + "\n";
}

std::string describe_parts(const CompositePerf& measured) {
  std::string text = heading(measured.model, measured.composite);
  Rows rows = {{"part", "on", "median", "p90", "mean", "peak memory"}};
  for (const auto& [part, one] : measured.parts) {
    const bool has_peak = one.memory && one.memory->rss_peak_mb;
    rows.push_back(
        {part, one.benchmark_info.ep, milliseconds(one.latency_ms.p50),
         milliseconds(one.latency_ms.p90), milliseconds(one.latency_ms.mean),
         has_peak ? text_form::fixed(*one.memory->rss_peak_mb, 1) + " MB" : std::string("-")});
  }
  text += table(rows, {.right = "2345"});
  for (const auto& [part, one] : measured.parts)
    for (const std::string& note : one.notes)
      text += "  " + printable(part) + ": " + printable(note) + "\n";
  return text;
}

std::string describe_parts(const CompositeReceipt& receipt) {
  std::string text = heading(receipt.model, receipt.composite);
  for (const auto& [part, one] : receipt.parts)
    text += printable(part) + "\n" + describe_build(one);
  return text;
}

}  // namespace hone
