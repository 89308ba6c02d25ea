#include "report/sweep/sweep_html.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "record/target_name.h"
#include "report/html/page.h"
#include "report/search/search_view.h"
#include "report/sweep/cell_html.h"
#include "report/trace/text.h"

namespace hone {
namespace {

using Words = std::vector<std::string>;

std::size_t count_of(const SweepResult& sweep, CellStatus status) {
  return static_cast<std::size_t>(std::ranges::count(sweep.cells, status, &SweepCell::status));
}

std::string number_of(std::size_t count, std::string_view word) {
  return format_count(count) + " " + std::string(word);
}

std::string headline(const SweepResult& sweep) {
  Words parts = {format_count(count_of(sweep, CellStatus::done)) + " of " +
                 number_of(sweep.cells.size(), sweep.cells.size() == 1 ? "cell" : "cells") +
                 " done"};
  for (const CellStatus status : {CellStatus::failed, CellStatus::pending}) {
    if (const std::size_t count = count_of(sweep, status); count > 0)
      parts.push_back(number_of(count, name_of(status)));
  }
  return join(parts, ", ");
}

// "2 oom, 1 timeout"; empty where `word_of` gives no words.
template <typename WordOf>
std::string tally(const SweepResult& sweep, WordOf word_of) {
  std::map<std::string, std::size_t> counts;
  for (const SweepCell& cell : sweep.cells)
    if (const std::string word = word_of(cell); !word.empty()) ++counts[word];
  Words words;
  for (const auto& [word, count] : counts) words.push_back(number_of(count, word));
  return join(words, ", ");
}

std::string disk_text(const SweepResult& sweep) {
  std::string text =
      format_bytes(sweep.disk_bytes) + " for cells of " + format_bytes(sweep.cell_bytes);
  if (sweep.cell_bytes == 0) return text;
  const double share =
      static_cast<double>(sweep.disk_bytes) / static_cast<double>(sweep.cell_bytes);
  return text + ", " + text_form::share(share);
}

std::string publishing_text(const SweepResult& sweep) {
  return tally(
             sweep,
             [](const SweepCell& cell) { return cell.upload == "n/a" ? "not yet" : cell.upload; }) +
         "; " + format_bytes(sweep.bytes_sent) + " sent, " + format_bytes(sweep.bytes_not_sent) +
         " there already";
}

Html summary(const SweepResult& sweep) {
  Html figures;
  if (const std::string classes = tally(sweep, cell_html::failure_class); !classes.empty())
    figures += figure("Failed", classes);
  figures += figure("Disk", disk_text(sweep));
  const bool publishes =
      std::ranges::any_of(sweep.cells, [](const SweepCell& cell) { return cell.upload != "n/a"; });
  figures += figure("Published", publishes ? publishing_text(sweep) : "nothing was asked for");
  figures += figure("Time", text_form::fixed(sweep.seconds, 1) + " s");
  if (const auto known = std::ranges::count_if(sweep.cells, &SweepCell::is_resumed); known > 0)
    figures += figure("There before", number_of(static_cast<std::size_t>(known), "cells"));
  return element("p", {{"class", "verdict"}}, headline(sweep)) +
         element("dl", {{"class", "figures"}}, figures);
}

// The labels in their order; a cell of a label that is no target's gets its column too.
Words columns_of(const SweepResult& sweep) {
  Words labels;
  const auto add = [&](const std::string& label) {
    if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
  };
  for (const SweepTarget& target : sweep.targets) add(target.label);
  for (const SweepCell& cell : sweep.cells) add(cell.label);
  return labels;
}

struct MatrixRow {
  std::string model;
  std::string task;
  std::map<std::string, Html> cells;  // by label
};

std::vector<MatrixRow> rows_of(const SweepResult& sweep) {
  std::vector<MatrixRow> rows;
  std::map<std::pair<std::string, std::string>, std::size_t> row_of;
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) {
    const SweepCell& cell = sweep.cells[i];
    const auto [found, is_new] = row_of.emplace(std::pair(cell.model, cell.task), rows.size());
    if (is_new) rows.push_back({cell.model, cell.task, {}});
    rows[found->second].cells[cell.label] += cell_html::brief(cell, i);
  }
  return rows;
}

Html matrix_row(const MatrixRow& row, const Words& columns) {
  Html name = element("code", row.model);
  if (!row.task.empty()) name += element("span", {{"class", "line quiet"}}, row.task);
  Html cells = element("th", {{"scope", "row"}}, name);
  for (const std::string& label : columns) {
    const auto found = row.cells.find(label);
    cells += element("td", found == row.cells.end() ? Html("-") : found->second);
  }
  return element("tr", cells);
}

Html matrix_table(const SweepResult& sweep) {
  const Words columns = columns_of(sweep);
  Html head = element("th", {{"scope", "col"}}, "Model");
  for (const std::string& label : columns) head += element("th", {{"scope", "col"}}, label);
  Html rows;
  for (const MatrixRow& row : rows_of(sweep)) rows += matrix_row(row, columns);
  const Html table = element("table", {{"class", "matrix"}},
                             element("caption",
                                     "Models in rows, targets in columns. A cell leads to its "
                                     "details.") +
                                 element("thead", element("tr", head)) + element("tbody", rows));
  // With the keyboard it is scrolled once it has the focus.
  return element("div",
                 {{"class", "scroll"},
                  {"role", "region"},
                  {"aria-labelledby", "matrix-heading"},
                  {"tabindex", "0"}},
                 table);
}

Html choice(const std::string& field, std::string_view name, const std::set<std::string>& values) {
  Html options = element("option", {{"value", ""}}, "all");
  for (const std::string& value : values) options += element("option", {{"value", value}}, value);
  return element("label",
                 Html(name) + Html(" ") + element("select", {{"data-field", field}}, options));
}

template <typename ValueOf>
std::set<std::string> values_of(const SweepResult& sweep, ValueOf value_of) {
  std::set<std::string> values;
  for (const SweepCell& cell : sweep.cells) values.insert(value_of(cell));
  values.erase("");
  return values;
}

// The script shows it: without it nothing would happen.
Html filter(const SweepResult& sweep) {
  const auto status = [](const SweepCell& cell) { return std::string(name_of(cell.status)); };
  const auto label = [](const SweepCell& cell) { return cell.label; };
  const auto upload = [](const SweepCell& cell) { return cell.upload; };
  return element("div", {{"class", "filter"}, {"id", "filter"}, {"role", "search"}, {"hidden", ""}},
                 element("label", Html("Text ") + void_element("input", {{"id", "filter-words"},
                                                                         {"type", "search"}})) +
                     choice("status", "Status", values_of(sweep, status)) +
                     choice("class", "Failure", values_of(sweep, cell_html::failure_class)) +
                     choice("target", "Target", values_of(sweep, label)) +
                     choice("published", "Published", values_of(sweep, upload)) +
                     element("button", {{"type", "button"}, {"id", "filter-clear"}}, "Show all") +
                     element("output", {{"id", "filter-count"}}, Html()));
}

Html matrix(const SweepResult& sweep) {
  if (sweep.cells.empty()) return element("p", "There is no cell.");
  return filter(sweep) + matrix_table(sweep);
}

Html claim_row(const SweepCell& cell) {
  const auto text = [](const std::optional<double>& p) {
    return p ? cell_html::probability_text(*p) : "not known";
  };
  return element("tr",
                 element("th", {{"scope", "row"}}, element("code", cell.model)) +
                     element("td", {{"data-label", "Target"}}, cell.label) +
                     element("td", {{"data-label", "Kept"}}, element("code", *cell.champion)) +
                     element("td", {{"data-label", "p"}}, text(cell.p_value)) +
                     element("td", {{"data-label", "q"}}, text(cell.q_value)));
}

// What searches kept. Among many finals some are won by luck: q says how much of that to expect.
Html claims(const SweepResult& sweep) {
  Html rows;
  std::size_t tests = 0;
  for (const SweepCell& cell : sweep.cells) {
    tests += cell.final_p.size();
    if (cell.champion) rows += claim_row(cell);
  }
  if (rows.empty()) return {};
  Html head;
  for (const char* name : {"Model", "Target", "Kept", "p", "q"})
    head += element("th", {{"scope", "col"}}, name);
  return element("p", "p is of the arm's final test against the baseline. q sets it among all " +
                          number_of(tests, tests == 1 ? "final test" : "final tests") +
                          " of this sweep, also those that kept nothing (Benjamini and "
                          "Hochberg): of the claims with a q of at most 0.05, one in twenty is "
                          "expected to be false at most.") +
         element("table", {{"class", "stacks"}},
                 element("caption", "What was kept, and how sure that is") +
                     element("thead", element("tr", head)) + element("tbody", rows));
}

Html cells(const SweepResult& sweep) {
  Html all;
  for (std::size_t i = 0; i < sweep.cells.size(); ++i) all += cell_html::whole(sweep.cells[i], i);
  return all;
}

Html notes(const SweepResult& sweep) {
  Html items;
  for (const std::string& note : sweep.notes) items += element("li", note);
  return items.empty() ? items : element("ul", items);
}

Html run(const SweepResult& sweep) {
  Html facts = fact("Run", element("code", sweep.run_stamp));
  facts += fact("Mode", name_of(sweep.mode));
  if (!sweep.environment.empty()) facts += fact("Key", element("code", sweep.environment));
  for (const SweepTarget& target : sweep.targets)
    facts += fact(target.label, target_name(target.target));
  facts += fact("Journal", text_form::fixed(sweep.journal_seconds, 2) + " s of the time");
  return element("dl", {{"class", "facts"}}, facts);
}

}  // namespace

std::string sweep_page(const SweepResult& sweep) {
  const std::string name = "Sweep " + sweep.run_stamp;
  return write_page({
      .title = "hone: " + name,
      .header =
          element("h1", name) + element("p", "mode " + std::string(name_of(sweep.mode)) + ", " +
                                                 number_of(columns_of(sweep).size(), "targets")),
      .sections = {{"summary", "Summary", summary(sweep)},
                   {"matrix", "Matrix", matrix(sweep)},
                   {"claims", "Kept claims", claims(sweep)},
                   {"cells", "Cells", cells(sweep)},
                   {"notes", "Notes", notes(sweep)},
                   {"run", "Run", run(sweep)}},
      .data = {},
      .styles = {"report.css", "sweep.css"},
      .script = "sweep.js",
  });
}

}  // namespace hone
