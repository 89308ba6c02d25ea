#include "report/sweep/cell_html.h"

#include "base/text.h"
#include "record/target_name.h"
#include "report/html/page.h"
#include "report/search/search_view.h"
#include "report/sweep/sweep_text.h"
#include "report/trace/text.h"

namespace hone::cell_html {
namespace {

std::string id_of(std::size_t index) { return "cell-" + std::to_string(index); }

std::string status_of(const SweepCell& cell) { return std::string(name_of(cell.status)); }

// In words: a colour alone tells nothing to many readers, and nothing on paper.
Html status_word(const SweepCell& cell) {
  return element("span", {{"class", "status " + status_of(cell)}}, status_of(cell));
}

Html line(const Html& text) { return element("span", {{"class", "line"}}, text); }

// What was wrong with publishing; empty where nothing was, or nothing was asked for.
std::string upload_trouble(const SweepCell& cell) {
  const bool is_quiet = is_published(cell) || cell.upload == "n/a" || cell.upload == "skipped";
  return is_quiet ? "" : "upload " + cell.upload;
}

Html code_or_dash(const std::string& text) {
  return text.empty() ? Html("-") : element("code", text);
}

Html files(const SweepCell& cell) {
  if (cell.files.empty()) return {};
  Html rows;
  for (const PackageEntry& file : cell.files) {
    rows +=
        element("tr", element("th", {{"scope", "row"}}, element("code", file.path)) +
                          element("td", {{"data-label", "Size"}}, format_bytes(file.bytes)) +
                          element("td", {{"data-label", "SHA-256"}}, element("code", file.sha256)));
  }
  const Html head =
      element("thead", element("tr", element("th", {{"scope", "col"}}, "File") +
                                         element("th", {{"scope", "col"}}, "Size") +
                                         element("th", {{"scope", "col"}}, "SHA-256")));
  return element("table", {{"class", "stacks files"}},
                 element("caption", format_count(cell.files.size()) +
                                        (cell.files.size() == 1 ? " file" : " files")) +
                     head + element("tbody", rows));
}

Html log_tail(const std::string& text) {
  if (text.empty()) return {};
  return element("p", {{"class", "quiet"}}, "The last lines of its log:") +
         element("pre", {{"class", "log"}, {"tabindex", "0"}}, text);
}

Html failure(const SweepCell& cell) {
  if (!cell.failure) return {};
  const CellFailure& failure = *cell.failure;
  const std::string where = failure.stage.empty() ? "" : " in " + failure.stage;
  return element("p", element("strong", failure_class(cell) + where) +
                          Html(failure.what.empty() ? "" : ": " + failure.what)) +
         log_tail(failure.log_tail);
}

Html claim(const SweepCell& cell) {
  if (!cell.champion) return {};
  Html facts = fact("Kept", element("code", *cell.champion));
  if (cell.p_value) facts += fact("p of its final test", probability_text(*cell.p_value));
  if (cell.q_value) facts += fact("q over the sweep", probability_text(*cell.q_value));
  return facts;
}

Html upload(const SweepCell& cell) {
  Html facts = fact("Published", cell.upload);
  if (cell.reference) facts += fact("Reference", element("code", *cell.reference));
  if (cell.digest) facts += fact("Digest", element("code", *cell.digest));
  if (!cell.upload_error.empty())
    facts += fact("What the place said", element("pre", {{"class", "log"}}, cell.upload_error));
  return facts;
}

Html facts(const SweepCell& cell) {
  Html facts = fact("Version", code_or_dash(cell.version)) + fact("Key", code_or_dash(cell.key));
  facts += fact("Task", cell.task.empty() ? "-" : cell.task);
  facts += fact("Target", target_name(cell.ep, cell.device));
  facts += fact("Precision", cell.precision.empty() ? "float" : cell.precision);
  facts += fact("Size", size_of(cell));
  if (cell.latency_ms) facts += fact("Latency", search_view::milliseconds(cell.latency_ms));
  if (cell.accuracy) facts += fact("Accuracy", *cell.accuracy);
  facts += claim(cell) + upload(cell);
  facts += fact("Time", text_form::fixed(cell.seconds, 1) + " s");
  facts += fact("Attempts",
                cell.is_resumed ? "none now: an earlier run did it" : format_count(cell.attempts));
  return element("dl", {{"class", "facts"}}, facts);
}

Html notes(const SweepCell& cell) {
  Html items;
  for (const std::string& note : cell.notes) items += element("li", note);
  return items.empty() ? items : element("ul", items);
}

}  // namespace

bool is_published(const SweepCell& cell) {
  return cell.upload == "uploaded" || cell.upload == "exists-skipped";
}

std::string failure_class(const SweepCell& cell) {
  const bool has_failed = cell.status == CellStatus::failed && cell.failure;
  return has_failed ? std::string(name_of(cell.failure->kind)) : "";
}

std::string probability_text(double p) {
  constexpr double least = 0.0001;
  if (p < least) return "below " + text_form::fixed(least, 4);
  return text_form::fixed(p, p < 0.01 ? 4 : 3);
}

Html brief(const SweepCell& cell, std::size_t index) {
  Html lines = status_word(cell);
  if (const std::string kind = failure_class(cell); !kind.empty()) lines += line(kind);
  if (cell.status == CellStatus::done) lines += line(size_of(cell));
  if (cell.latency_ms) lines += line(search_view::milliseconds(cell.latency_ms));
  if (cell.accuracy) lines += line("accuracy " + *cell.accuracy);
  if (cell.champion) lines += line("keeps " + *cell.champion);
  if (is_published(cell)) lines += line("published");
  if (const std::string trouble = upload_trouble(cell); !trouble.empty()) lines += line(trouble);
  return element("a",
                 {{"class", "cell " + status_of(cell)},
                  {"href", "#" + id_of(index)},
                  {"data-cell", id_of(index)}},
                 lines);
}

Html whole(const SweepCell& cell, std::size_t index) {
  const std::string kind = failure_class(cell);
  const Html title = element("code", cell.model) + Html(" for ") + element("code", cell.label) +
                     Html(": ") + status_word(cell) + Html(kind.empty() ? "" : ", " + kind);
  // The link leads to the inside: browsers unfold what holds the target, even without a script.
  const Html inside =
      element("div", {{"id", id_of(index)}, {"tabindex", "-1"}},
              failure(cell) + facts(cell) + notes(cell) + files(cell) +
                  element("p", {{"class", "back"}}, element("a", {{"href", "#matrix"}}, "Matrix")));
  return element("details",
                 {{"class", "cell"},
                  {"data-status", status_of(cell)},
                  {"data-class", kind},
                  {"data-target", cell.label},
                  {"data-published", cell.upload}},
                 element("summary", title) + inside);
}

}  // namespace hone::cell_html
