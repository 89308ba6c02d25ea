#include "report/support/support_html.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "report/html/page.h"
#include "report/support/support_text.h"

namespace hone {
namespace {

using Names = std::vector<std::string_view>;

Html headings(const Names& names) {
  Html row;
  for (const std::string_view name : names) row += element("th", Html(name));
  return element("thead", element("tr", row));
}

// Our own words do not break; what a bundle says may have any length.
Attributes attributes_of(std::string_view column) {
  constexpr std::array<std::string_view, 4> ours = {"tier", "verdict", "outcome", "size"};
  Attributes attributes = {{"data-label", std::string(column)}};
  if (std::ranges::find(ours, column) != ours.end()) attributes.push_back({"class", "short"});
  return attributes;
}

// On a phone the cells of a row stand under each other, each with the name of its column.
Html table_of(std::string_view caption, const Names& names,
              const std::vector<std::vector<Html>>& rows) {
  Html body;
  for (const std::vector<Html>& values : rows) {
    Html row;
    for (std::size_t i = 0; i < values.size(); ++i)
      row += element("td", attributes_of(names[i]), values[i]);
    body += element("tr", row);
  }
  return element("table", {{"class", "stacks"}},
                 element("caption", {{"class", "unseen"}}, Html(caption)) + headings(names) +
                     element("tbody", body));
}

Html summary(const Bundle& bundle) {
  const RecipeFile& file = bundle.recipe;
  const std::string reached =
      bundle.index.reached ? std::string(name_of(*bundle.index.reached)) : "no tier";
  Html facts = figure("Reached", reached);
  facts += figure("Goal", std::string(name_of(bundle.claim.goal)));
  facts += figure("Task", file.task);
  facts += figure("Target", bundle.index.target);
  facts += figure("Ran on", ran_text(bundle.ladder));
  facts += figure("Precision", file.precision);
  return element("p", {{"class", "verdict"}},
                 Html(file.model + " reached " + reached + " on " + bundle.index.target)) +
         element("dl", {{"class", "figures"}}, facts);
}

Html ladder(const Bundle& bundle) {
  std::vector<std::vector<Html>> rows;
  for (const TierProof& tier : bundle.ladder.tiers) {
    const std::string shown = evidence_text(tier);
    rows.push_back({std::string(name_of(tier.tier)), std::string(name_of(tier.verdict)),
                    tier.reason.empty() ? shown : shown + " " + tier.reason});
  }
  return table_of("What each tier showed", {"tier", "verdict", "evidence"}, rows);
}

Html checks(const Bundle& bundle) {
  std::vector<std::vector<Html>> rows;
  for (const TierProof& tier : bundle.ladder.tiers) {
    if (!tier.structure) continue;
    for (const StructureCheck& check : tier.structure->checks)
      rows.push_back({check.name, check.holds ? "holds" : "does not hold", check.detail});
  }
  return rows.empty() ? Html()
                      : table_of("What was looked at", {"check", "outcome", "found"}, rows);
}

Html artifacts(const Bundle& bundle) {
  std::vector<std::vector<Html>> rows;
  for (const PackageEntry& entry : bundle.artifacts.files)
    rows.push_back({entry.path, format_bytes(entry.bytes), element("code", Html(entry.sha256))});
  return table_of("What was built", {"file", "size", "SHA-256"}, rows);
}

Html machine(const Bundle& bundle) {
  Html facts;
  for (const auto& [name, value] : bundle.ladder.machine) facts += fact(name, Html(value));
  return element("dl", facts);
}

Html notes(const Bundle& bundle) {
  if (bundle.notes.surprises.empty()) return element("p", Html("Nothing was surprising."));
  Html items;
  for (const std::string& surprise : bundle.notes.surprises) items += element("li", Html(surprise));
  return element("ul", items);
}

Html commands(const Bundle& bundle) {
  std::string lines;
  for (const TierProof& tier : bundle.ladder.tiers)
    for (const std::string& command : tier.commands) lines += command + "\n";
  return element("pre", Html(lines));
}

}  // namespace

std::string bundle_page(const Bundle& bundle, const std::vector<std::string>& doubts) {
  Page page;
  page.title = bundle.recipe.model;
  page.header = element("h1", Html(bundle.recipe.model));
  for (const std::string& doubt : doubts)
    page.header += element("p", Html("This is not what the manifest says: " + doubt));
  page.sections = {
      {"summary", "Summary", summary(bundle)},    {"ladder", "Ladder", ladder(bundle)},
      {"structure", "Structure", checks(bundle)}, {"artifacts", "Artifacts", artifacts(bundle)},
      {"notes", "Notes", notes(bundle)},          {"machine", "Machine", machine(bundle)},
      {"repeat", "Repeat", commands(bundle)}};
  page.styles = {"report.css", "support.css"};
  return write_page(std::move(page));
}

}  // namespace hone
