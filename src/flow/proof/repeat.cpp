#include "flow/proof/repeat.h"

#include <charconv>
#include <system_error>

#include "base/text.h"

namespace hone {
namespace {

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

void add_all(Words& words, const std::string& option,
             const std::map<std::string, std::string>& values) {
  for (const auto& [key, value] : values) append(words, {option, key + "=" + value});
}

void add_session(Words& words, std::int64_t threads,
                 const std::map<std::string, std::string>& options) {
  if (threads > 0) append(words, {"--threads", std::to_string(threads)});
  add_all(words, "--session-options", options);
}

void add_where(Words& words, const Where& where) {
  append(words, {"--ep", where.ep, "--device", where.device});
  add_all(words, "--ep-options", where.ep_options);
  add_session(words, where.threads.value_or(0), where.session_options);
}

void add_shapes(Words& words, const std::string& shape_config) {
  if (!shape_config.empty()) append(words, {"--shape-config", shape_config});
}

// With the six digits that bundles have, where those say it all; else with as many as it takes.
std::string word_of(double share) {
  std::string word = std::to_string(share);
  if (parse_number<double>(word) == share) return word;
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), share);
  return {digits.data(), end.ptr};
}

std::string arm_word(const CompareArm& arm, const Where& where) {
  std::string word = arm.name + ":model=" + arm.model + ",ep=" + where.ep;
  if (where.device != "auto") word += ",device=" + where.device;
  for (const auto& [key, value] : where.ep_options) word += ",option." + key + "=" + value;
  return word;
}

}  // namespace

Words words_of(const InspectOrder& order) { return {"inspect", order.model}; }

Words words_of(const PerfOrder& order) {
  Words words = {"perf", order.model, "--iterations", std::to_string(order.iterations)};
  add_where(words, order.where);
  add_shapes(words, order.shape_config);
  return words;
}

Words words_of(const CompareOrder& order) {
  Words words = {"compare"};
  for (const CompareArm& arm : order.arms) append(words, {"--arm", arm_word(arm, order.where)});
  append(words, {"--max-time", std::to_string(order.most_seconds)});
  add_session(words, order.where.threads.value_or(0), order.where.session_options);
  add_shapes(words, order.shape_config);
  return words;
}

Words words_of(const ParityOrder& order) {
  Words words = {"eval",        order.model,           "--mode",    "compare",
                 "--reference", order.reference.model, "--samples", std::to_string(order.samples)};
  add_where(words, order.where);
  add_shapes(words, order.shape_config);
  return words;
}

Words words_of(const DataOrder& order) {
  return {"eval",
          "--make-data",
          order.kind,
          "-o",
          order.output,
          "--count",
          std::to_string(order.count),
          "--seed",
          std::to_string(order.seed)};
}

Words words_of(const TaskOrder& order) {
  Words words = {"eval", order.model, "--task", order.task, "--data", order.data};
  if (!order.reference.model.empty()) append(words, {"--reference", order.reference.model});
  if (order.max_drop) append(words, {"--max-drop", word_of(*order.max_drop)});
  add_where(words, order.where);
  return words;
}

std::string command_of(Words words, const std::vector<Renamed>& names) {
  for (std::string& word : words) {
    for (const Renamed& one : names) {
      const std::size_t at = word.find(one.path);
      if (at != std::string::npos) word.replace(at, one.path.size(), one.name);
    }
  }
  words.insert(words.begin(), "hone");
  return to_shell(words);
}

}  // namespace hone
