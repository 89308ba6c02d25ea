#include "record/predicate_text.h"

#include <cstdio>

#include "base/text.h"

namespace hone {
namespace {

std::string joined(const std::vector<Predicate>& parts, std::string_view between) {
  std::vector<std::string> words;
  for (const Predicate& part : parts) {
    const bool is_group = part.all.size() > 1 || part.any.size() > 1;
    words.push_back(is_group ? "(" + describe(part) + ")" : describe(part));
  }
  return join(words, between);
}

// 21, not 21.0; 0.15.
std::string describe_number(double number) {
  char text[32];
  return {text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%g", number))};
}

}  // namespace

std::string describe(const Predicate& predicate) {
  if (!predicate.all.empty()) return joined(predicate.all, " and ");
  if (!predicate.any.empty()) return joined(predicate.any, " or ");
  if (!predicate.none.empty()) return "none of (" + joined(predicate.none, ", ") + ")";
  const std::string count = " at least " + std::to_string(predicate.at_least.value_or(1));
  if (predicate.feature) {
    return *predicate.feature + " " +
           std::string(name_of(predicate.relation.value_or(Relation{}))) + " " +
           describe_number(predicate.value.value_or(0));
  }
  if (predicate.op_type) return *predicate.op_type + count;
  if (predicate.pattern) return *predicate.pattern + " candidates" + count;
  if (predicate.ep) return "ep is " + *predicate.ep;
  if (predicate.device) return "device is " + *predicate.device;
  if (predicate.ort) return "onnxruntime " + *predicate.ort;
  if (predicate.ep_version) return "ep version " + *predicate.ep_version;
  if (predicate.driver) return "driver " + *predicate.driver;
  if (predicate.precision) return "precision is " + *predicate.precision;
  return "always";
}

}  // namespace hone
