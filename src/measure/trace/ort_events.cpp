#include "measure/trace/ort_events.h"

#include <charconv>
#include <cmath>

#include "base/json.h"
#include "base/text.h"

namespace hone {
namespace {

constexpr std::string_view event_start = R"({"cat" : ")";
constexpr std::string_view args_start = R"(","args" : {)";

OrtCategory category_named(std::string_view name) {
  if (name == "Node") return OrtCategory::node;
  if (name == "Session") return OrtCategory::session;
  if (name == "Kernel") return OrtCategory::kernel;
  if (name == "Api") return OrtCategory::api;
  return OrtCategory::other;
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end;
}

// A year in microseconds: what is beyond is no time of a profile, and sums of the rest stay finite.
bool is_time(double us) { return us >= 0 && us < 3.2e13; }

void set_argument(OrtEvent& event, std::string_view key, std::string_view value) {
  if (key == "op_name") event.op_type = value;
  if (key == "provider") event.provider = value;
  if (key == "node_name") event.node_name = value;
  if (key == "parent_name") event.parent_name = value;
  std::int64_t index = 0;
  if (key == "node_index" && read_number(value, index)) event.node_index = index;
}

// The text up to `end`, which is taken off too; null where there is none.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return taken;
}

// Behind the value of an argument comes the next one, or the end of all.
bool is_value_end(std::string_view rest) {
  if (rest.empty()) return true;
  if (!rest.starts_with(",\"")) return false;
  const std::size_t end =
      rest.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", 2);
  return end != std::string_view::npos && end > 2 && rest.substr(end).starts_with("\" : ");
}

// "...": up to the first quote that can be the last one, since quotes inside are not escaped.
std::optional<std::string_view> take_text(std::string_view& args) {
  for (std::size_t at = args.find('"', 1); at != std::string_view::npos;
       at = args.find('"', at + 1)) {
    if (!is_value_end(args.substr(at + 1))) continue;
    const std::string_view value = args.substr(1, at - 1);
    args.remove_prefix(at + 1);
    return value;
  }
  return std::nullopt;
}

// [...] or {...}: shapes and thread statistics, whose text is ONNX Runtime's own.
std::optional<std::string_view> take_nested(std::string_view& args) {
  int depth = 0;
  for (std::size_t at = 0; at < args.size(); ++at) {
    if (args[at] == '[' || args[at] == '{') ++depth;
    if (args[at] == ']' || args[at] == '}') --depth;
    if (depth > 0) continue;
    const std::string_view value = args.substr(0, at + 1);
    args.remove_prefix(at + 1);
    return value;
  }
  return std::nullopt;
}

// Stops where the text is no argument any more; what was read until then stands.
void read_arguments(std::string_view args, OrtEvent& event) {
  while (args.starts_with('"')) {
    args.remove_prefix(1);
    const auto key = take_until(args, "\" : ");
    if (!key || args.empty()) return;
    const auto value = args.front() == '"' ? take_text(args) : take_nested(args);
    if (!value) return;
    set_argument(event, *key, *value);
    if (args.starts_with(',')) args.remove_prefix(1);
  }
}

// One event as ONNX Runtime writes it; what stands before the name cannot be hostile.
std::optional<OrtEvent> read_event(std::string_view text) {
  OrtEvent event;
  if (!text.starts_with(event_start)) return std::nullopt;
  text.remove_prefix(event_start.size());
  const auto category = take_until(text, R"(","pid" :)");
  const auto process = take_until(text, ",\"tid\" :");
  const auto thread = take_until(text, ",\"dur\" :");
  const auto duration = take_until(text, ",\"ts\" :");
  const auto start = take_until(text, R"(,"ph" : "X","name" :")");
  if (!category || !process || !thread || !duration || !start) return std::nullopt;
  const bool has_numbers = read_number(*thread, event.thread) &&
                           read_number(*duration, event.duration_us) &&
                           read_number(*start, event.start_us);
  if (!has_numbers || !is_time(event.duration_us) || !is_time(event.start_us)) return std::nullopt;
  // The last one: an argument of ours holds no such text, the name may.
  const std::size_t args = text.rfind(args_start);
  if (args == std::string_view::npos || !text.ends_with("}}")) return std::nullopt;
  event.category = category_named(*category);
  event.name = text.substr(0, args);
  text.remove_prefix(args + args_start.size());
  text.remove_suffix(2);
  read_arguments(text, event);
  return event;
}

// What stands between one event and the next.
std::string_view without_separator(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n,]");
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end + 1);
}

std::string_view text_of(const Json* value) {
  return value == nullptr || value->as_string() == nullptr ? std::string_view{}
                                                           : std::string_view(*value->as_string());
}

double time_of(const Json* value) {
  return value == nullptr ? std::nan("") : value->to_double().value_or(std::nan(""));
}

std::optional<OrtEvent> read_event(const Json& json) {
  OrtEvent event;
  event.category = category_named(text_of(json.find("cat")));
  event.name = text_of(json.find("name"));
  event.start_us = time_of(json.find("ts"));
  event.duration_us = time_of(json.find("dur"));
  if (!is_time(event.start_us) || !is_time(event.duration_us)) return std::nullopt;
  if (const Json* thread = json.find("tid")) event.thread = thread->to_int().value_or(0);
  const Json* args = json.find("args");
  if (args == nullptr || args->as_object() == nullptr) return event;
  for (const auto& [key, value] : *args->as_object()) {
    if (const std::int64_t* index = value.as_int(); index != nullptr && key == "node_index") {
      event.node_index = *index;
    }
    set_argument(event, key, text_of(&value));
  }
  return event;
}

template <class Text>
void report(const Text& text, OrtEventCounts& counts,
            const std::function<void(const OrtEvent&)>& visit) {
  if (const std::optional<OrtEvent> event = read_event(text)) {
    ++counts.read;
    visit(*event);
  } else {
    ++counts.unreadable;
  }
}

OrtScan scan_json(std::string_view text, const std::function<void(const OrtEvent&)>& visit) {
  OrtScan scan;
  const Result<Json> document = Json::parse(text);
  if (!document) {
    scan.problem = document.error().what + ": " + document.error().cause;
    return scan;
  }
  const Json* list = document->as_object() == nullptr ? &*document : document->find("traceEvents");
  if (list == nullptr || list->as_array() == nullptr) {
    scan.problem = "there is no list of events";
    return scan;
  }
  for (const Json& event : *list->as_array()) report(event, scan.counts, visit);
  return scan;
}

}  // namespace

OrtScan for_each_event(std::string_view text, const std::function<void(const OrtEvent&)>& visit) {
  const std::string next_event = "\n" + std::string(event_start);
  std::size_t at = text.starts_with(event_start) ? 0 : text.find(next_event);
  if (at == std::string_view::npos) return scan_json(text, visit);
  OrtScan scan;
  while (at != std::string_view::npos) {
    if (text[at] == '\n') ++at;
    const std::size_t next = text.find(next_event, at + 1);
    const std::size_t length = next == std::string_view::npos ? next : next - at;
    report(without_separator(text.substr(at, length)), scan.counts, visit);
    at = next;
  }
  return scan;
}

}  // namespace hone
