#include "report/sweep/sweep_text.h"

#include <algorithm>
#include <map>

#include "base/counted.h"
#include "base/one_line.h"
#include "base/text.h"
#include "report/trace/text.h"

namespace hone {
namespace {

struct Counts {
  std::size_t done = 0;
  std::size_t failed = 0;
  std::size_t pending = 0;
  std::size_t resumed = 0;
};

Counts count(const SweepResult& sweep) {
  Counts counts;
  for (const SweepCell& cell : sweep.cells) {
    counts.done += cell.status == CellStatus::done ? 1 : 0;
    counts.failed += cell.status == CellStatus::failed ? 1 : 0;
    counts.pending += cell.status == CellStatus::pending ? 1 : 0;
    counts.resumed += cell.is_resumed ? 1 : 0;
  }
  return counts;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string word_for(const SweepCell& cell) {
  if (cell.status == CellStatus::pending) return "pending";
  if (cell.failure && cell.status == CellStatus::failed)
    return std::string(name_of(cell.failure->kind));
  if (cell.latency_ms) return text_form::fixed(*cell.latency_ms, 2) + " ms";
  return size_of(cell);
}

std::string matrix(const SweepResult& sweep) {
  std::vector<std::vector<std::string>> rows = {{""}};
  for (const SweepTarget& target : sweep.targets) rows.front().push_back(target.label);
  std::map<std::string, std::size_t> row_of;
  for (const SweepCell& cell : sweep.cells) {
    const std::string name =
        printable(cell.task.empty() ? cell.model : cell.model + " " + cell.task);
    const auto [found, is_new] = row_of.emplace(name, rows.size());
    if (is_new) rows.push_back({name});
    rows[found->second].push_back(word_for(cell));
  }
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = "  ";
    for (std::size_t i = 0; i < row.size(); ++i) line += padded(row[i], widths[i] + 2);
    text += std::string(line.substr(0, line.find_last_not_of(' ') + 1)) + "\n";
  }
  return text;
}

std::string failures(const SweepResult& sweep) {
  std::string text;
  for (const SweepCell& cell : sweep.cells) {
    if (cell.status != CellStatus::failed || !cell.failure) continue;
    text += "  " + printable(cell.model) + " for " + cell.label + ": " +
            std::string(name_of(cell.failure->kind)) + " in " + cell.failure->stage + ": " +
            printable(one_line(cell.failure->what)) + "\n";
  }
  return text.empty() ? text : "failed\n" + text;
}

// What was measured besides time.
std::string measured(const SweepResult& sweep) {
  std::string text;
  for (const SweepCell& cell : sweep.cells) {
    if (!cell.accuracy && !cell.champion) continue;
    std::vector<std::string> parts;
    if (cell.champion) parts.push_back(*cell.champion + " ships");
    if (cell.q_value) parts.push_back("q " + text_form::fixed(*cell.q_value, 4));
    if (cell.accuracy) parts.push_back(*cell.accuracy);
    text += "  " + printable(cell.model) + " for " + cell.label + ": " +
            printable(join(parts, ", ")) + "\n";
  }
  return text.empty() ? text : "measured\n" + text;
}

// One line for each error, however many cells it was said of. What counts as published can have
// one too: it is there with other files.
std::string upload_errors(const SweepResult& sweep) {
  std::map<std::string, std::vector<std::string>> versions;
  for (const SweepCell& cell : sweep.cells) {
    if (!cell.upload_error.empty()) versions[cell.upload_error].push_back(cell.version);
  }
  std::string text;
  for (const auto& [error, of] : versions) {
    const std::string more =
        of.size() > 1 ? " and " + counted(of.size() - 1, "other") : std::string();
    text += "  " + of.front() + more + ": " + printable(one_line(error)) + "\n";
  }
  return text;
}

std::string uploads(const SweepResult& sweep) {
  std::map<std::string, std::size_t> counts;
  for (const SweepCell& cell : sweep.cells) ++counts[cell.upload];
  if (counts.size() == 1 && counts.contains("n/a")) return {};
  std::vector<std::string> words;
  for (const auto& [word, number] : counts)
    words.push_back(std::to_string(number) + " " + (word == "n/a" ? "not yet" : word));
  return "published: " + join(words, ", ") + "; " + format_bytes(sweep.bytes_sent) + " sent, " +
         format_bytes(sweep.bytes_not_sent) + " there already\n" + upload_errors(sweep);
}

std::string share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "0 %";
  return std::to_string((part * 100 + whole / 2) / whole) + " %";
}

// The place has it, and nobody here knows more of it than its name.
bool was_found_there(const SweepCell& cell) {
  return cell.status == CellStatus::done && cell.is_resumed && cell.files.empty();
}

}  // namespace

std::string size_of(const SweepCell& cell) {
  return cell.files.empty() ? "-" : format_bytes(cell.bytes);
}

std::string describe_sweep(const SweepResult& sweep) {
  const Counts counts = count(sweep);
  std::string text = "sweep " + sweep.run_stamp + ": " + std::to_string(counts.done) + " of " +
                     std::to_string(sweep.cells.size()) + " cells done";
  if (counts.failed > 0) text += ", " + std::to_string(counts.failed) + " failed";
  if (counts.pending > 0) text += ", " + std::to_string(counts.pending) + " not reached";
  if (counts.resumed > 0) text += "; " + std::to_string(counts.resumed) + " were there before";
  text += "\n" + matrix(sweep) + failures(sweep) + measured(sweep);
  if (sweep.cell_bytes > 0) {
    text += "disk: " + format_bytes(sweep.disk_bytes) + " for cells of " +
            format_bytes(sweep.cell_bytes) + " (" + share(sweep.disk_bytes, sweep.cell_bytes) +
            ")\n";
  }
  text += uploads(sweep);
  for (const std::string& note : sweep.notes) text += "note: " + note + "\n";
  return text;
}

std::string describe_listing(const SweepListing& listing) {
  std::string text;
  for (const CatalogModel& model : listing.models) {
    text += printable(model.id) + "  " + printable(model.task) + "  " + printable(model.group) +
            "  " + model.priority + "\n";
  }
  std::vector<std::string> labels;
  for (const SweepTarget& target : listing.targets) labels.push_back(target.label);
  return text + counted(listing.models.size(), "model") + " for " + join(labels, ", ") + "\n";
}

std::string describe_sweep_progress(const SweepResult& sweep, double elapsed_s) {
  const Counts counts = count(sweep);
  const std::size_t over = counts.done + counts.failed;
  std::string text = std::to_string(over) + " of " + std::to_string(sweep.cells.size()) + " cells";
  if (counts.failed > 0) text += ", " + std::to_string(counts.failed) + " failed";
  const std::size_t now = over - std::min(over, counts.resumed);
  if (now > 0 && counts.pending > 0) {
    const double left = elapsed_s / static_cast<double>(now) * static_cast<double>(counts.pending);
    text += ", about " + std::to_string(static_cast<std::int64_t>(left)) + " s to go";
  }
  return text;
}

Json build_only_results(const SweepResult& sweep, const std::string& package,
                        const std::string& recorded_at) {
  Json results = Json::object();
  for (const SweepCell& cell : sweep.cells) {
    if (cell.status == CellStatus::pending) continue;
    const bool is_ok = cell.status == CellStatus::done;
    const bool is_late = cell.failure && cell.failure->kind == FailureClass::timeout;
    Json one = Json::object();
    one.set("hf_id", cell.model);
    one.set("task", cell.task);
    one.set("ep", cell.ep);
    one.set("device", cell.device);
    one.set("combo", cell.label);
    one.set("package", package);
    one.set("run_stamp", sweep.run_stamp);
    one.set("build_status", is_ok ? "ok" : is_late ? "timeout" : "failed");
    one.set("build_stage", is_ok || !cell.failure ? "complete" : cell.failure->stage);
    one.set("upload_status", cell.upload);
    one.set("recorded_at", recorded_at);
    const std::string error = cell.failure ? cell.failure->log_tail : cell.upload_error;
    if (!error.empty()) one.set("error", error);
    if (was_found_there(cell)) one.set("source", "feed");
    results.set(cell.version, std::move(one));
  }
  return results;
}

}  // namespace hone
