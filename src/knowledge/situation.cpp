#include "knowledge/situation.h"

#include <type_traits>

namespace hone {
namespace {

std::map<std::string, double> numbers_of(const GraphFeatures& features) {
  std::map<std::string, double> numbers;
  for_each_field(features, [&](std::string_view name, const auto& member, auto...) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(member)>>) {
      numbers.emplace(name, static_cast<double>(member));
    }
  });
  return numbers;
}

}  // namespace

std::vector<std::string> known_features() {
  std::vector<std::string> names;
  for (const auto& [name, value] : numbers_of({})) names.push_back(name);
  return names;
}

Situation situation_of(const Analysis& analysis) {
  Situation situation;
  situation.ep = analysis.target.ep;
  situation.device = analysis.target.device;
  situation.precision = analysis.features.precision;
  situation.features = numbers_of(analysis.features);
  situation.op_counts = analysis.features.op_counts;
  situation.patterns.emplace();
  for (const FusionCandidate& fusion : analysis.fusions) {
    (*situation.patterns)[fusion.capability] += fusion.count;
  }
  return situation;
}

std::string device_of(const Situation& situation) {
  if (situation.ep == "cpu") return "cpu";
  return situation.device == "auto" ? "" : situation.device;
}

std::string ep_version_of(const Situation& situation) {
  const bool has_own = !situation.ep_version.empty() || situation.ep != "cpu";
  return has_own ? situation.ep_version : situation.ort_version;
}

}  // namespace hone
