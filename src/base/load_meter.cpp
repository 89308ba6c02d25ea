#include "base/load_meter.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"

namespace hone {
namespace {

// Below this the grain of the ticks is a share of its own: 5 %.
constexpr std::uint64_t least_ticks = 20;

std::vector<std::uint64_t> numbers_in(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  for (const std::string& word : split(text, ' '))
    if (!word.empty()) numbers.push_back(parse_number<std::uint64_t>(word).value_or(0));
  return numbers;
}

// "0-1" of "Cpus_allowed_list"; nothing where it is not told: all of them.
std::set<int> allowed_cpus(const SystemRoots& roots) {
  const auto status = read_text(roots.proc / "self/status");
  if (!status) return {};
  const auto facts = parse_key_values(*status);
  const auto list = facts.find("Cpus_allowed_list");
  if (list == facts.end()) return {};
  const std::vector<int> cpus = parse_cpu_list(list->second);
  return {cpus.begin(), cpus.end()};
}

// A process by what its stat says: "12 (a name) S 3 ..."; a name may hold spaces and parentheses.
struct ProcessTicks {
  std::uint64_t parent = 0;
  std::uint64_t ticks = 0;  // of its own, and of its children that have ended and were waited for
};

std::optional<ProcessTicks> read_process(const Path& stat) {
  const auto text = read_line(stat);
  if (!text) return std::nullopt;
  const std::size_t name_end = text->rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  // Behind the name: state, parent, ..., and from the 12th on utime, stime, cutime, cstime.
  constexpr std::size_t parent = 1;
  constexpr std::size_t first_time = 11;
  constexpr std::size_t times = 4;
  const std::vector<std::uint64_t> fields =
      numbers_in(std::string_view(*text).substr(name_end + 1));
  if (fields.size() < first_time + times) return std::nullopt;
  ProcessTicks process{.parent = fields[parent]};
  for (std::size_t i = 0; i < times; ++i) process.ticks += fields[first_time + i];
  return process;
}

// This process and everything below it that lives; what has ended is in its parent's count.
std::optional<std::uint64_t> own_ticks(const SystemRoots& roots) {
  const auto self = read_line(roots.proc / "self/stat");
  if (!self) return std::nullopt;
  const auto id = parse_number<std::uint64_t>(self->substr(0, self->find(' ')));
  if (!id) return std::nullopt;
  std::map<std::uint64_t, ProcessTicks> processes;
  for (const Path& folder : numbered_entries(roots.proc, "")) {
    const auto number = parse_number<std::uint64_t>(folder.filename().string());
    const auto process = read_process(folder / "stat");
    if (number && process) processes.emplace(*number, *process);
  }
  if (!processes.contains(*id)) return std::nullopt;
  const auto is_ours = [&](std::uint64_t number) {
    // A parent's number may be read after it was given to another: no walk is longer than a tree.
    for (std::size_t step = 0; step < processes.size(); ++step) {
      if (number == *id) return true;
      const auto found = processes.find(number);
      if (found == processes.end()) return false;
      number = found->second.parent;
    }
    return false;
  };
  std::uint64_t sum = 0;
  for (const auto& [number, process] : processes)
    if (is_ours(number)) sum += process.ticks;
  return sum;
}

std::uint64_t gain(std::uint64_t before, std::uint64_t now) {
  return now > before ? now - before : 0;
}

}  // namespace

LoadMeter::LoadMeter(SystemRoots roots) : roots_(std::move(roots)) { start(); }

void LoadMeter::start() { start_ = read(roots_); }

std::optional<LoadMeter::Ticks> LoadMeter::read(const SystemRoots& roots) {
  const auto stat = read_text(roots.proc / "stat");
  const auto own = own_ticks(roots);
  if (!stat || !own) return std::nullopt;
  // user nice system idle iowait irq softirq steal; guests are part of user.
  enum Column : std::size_t { idle = 3, iowait = 4, steal = 7, columns = 8 };
  const std::set<int> allowed = allowed_cpus(roots);
  Ticks ticks{.own = *own};
  for (const std::string& text : split(*stat, '\n')) {
    const std::string_view line = text;
    if (!line.starts_with("cpu")) break;
    const std::size_t space = std::min(line.find(' '), line.size());
    const auto cpu = parse_number<int>(line.substr(3, space - 3));
    if (!cpu || (!allowed.empty() && !allowed.contains(*cpu))) continue;
    const std::vector<std::uint64_t> values = numbers_in(line.substr(space));
    for (std::size_t i = 0; i < std::min<std::size_t>(values.size(), columns); ++i) {
      ticks.total += values[i];
      if (i == steal) ticks.stolen += values[i];
      if (i != idle && i != iowait && i != steal) ticks.busy += values[i];
    }
  }
  return ticks;
}

std::optional<LoadShares> LoadMeter::so_far() const {
  if (!start_) return std::nullopt;
  const std::optional<Ticks> now = read(roots_);
  if (!now) return std::nullopt;
  const std::uint64_t total = gain(start_->total, now->total);
  if (total < least_ticks) return std::nullopt;
  // The kernel counts a process and a CPU at different moments, so ours can seem to be more.
  const std::uint64_t others = gain(gain(start_->own, now->own), gain(start_->busy, now->busy));
  return LoadShares{.others = static_cast<double>(others) / static_cast<double>(total),
                    .stolen = static_cast<double>(gain(start_->stolen, now->stolen)) /
                              static_cast<double>(total)};
}

}  // namespace hone
