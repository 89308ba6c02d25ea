#include "report/support/support_html.h"

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

// On a phone the cells of a row stand under each other, each with the name of its column.
Html table_of(const Names& names, const std::vector<std::vector<Html>>& rows) {
  Html body;
  for (const std::vector<Html>& values : rows) {
    Html row;
    for (std::size_t i = 0; i < values.size(); ++i)
      row += element("td", {{"data-label", std::string(names[i])}}, values[i]);
    body += element("tr", row);
  }
  return element("table", {{"class", "stacks"}}, headings(names) + element("tbody", body));
}

Html summary(const Bundle& bundle) {
  const RecipeFile& file = bundle.recipe;
  const std::string reached =
      bundle.index.reached ? std::string(name_of(*bundle.index.reached)) : "no tier";
  Html facts = figure("Reached", reached);
  facts += figure("Goal", std::string(name_of(bundle.claim.goal)));
  facts += figure("Task", file.task);
  facts += figure("Target", bundle.index.target);
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
  return table_of({"tier", "verdict", "evidence"}, rows);
}

Html checks(const Bundle& bundle) {
  std::vector<std::vector<Html>> rows;
  for (const TierProof& tier : bundle.ladder.tiers) {
    if (!tier.structure) continue;
    for (const StructureCheck& check : tier.structure->checks)
      rows.push_back({check.name, check.holds ? "holds" : "does not hold", check.detail});
  }
  return rows.empty() ? Html() : table_of({"check", "", "found"}, rows);
}

Html artifacts(const Bundle& bundle) {
  std::vector<std::vector<Html>> rows;
  for (const PackageEntry& entry : bundle.artifacts.files)
    rows.push_back({entry.path, std::to_string(entry.bytes), element("code", Html(entry.sha256))});
  return table_of({"file", "bytes", "SHA-256"}, rows);
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

std::string bundle_page(const Bundle& bundle) {
  Page page;
  page.title = bundle.recipe.model;
  page.header = element("h1", Html(bundle.recipe.model));
  page.sections = {
      {"summary", "Summary", summary(bundle)},    {"ladder", "Ladder", ladder(bundle)},
      {"structure", "Structure", checks(bundle)}, {"artifacts", "Artifacts", artifacts(bundle)},
      {"notes", "Notes", notes(bundle)},          {"machine", "Machine", machine(bundle)},
      {"repeat", "Repeat", commands(bundle)}};
  page.styles = {"report.css"};
  return write_page(std::move(page));
}

}  // namespace hone
