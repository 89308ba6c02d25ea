#include "search/mixes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/text.h"

namespace hone {
namespace {

const Json& member(const Json& object, const std::string& key) {
  static const Json null;
  const Json* found = object.find(key);
  return found != nullptr ? *found : null;
}

// Member by member, so that two flags of one map do not conflict. A member that is not there is
// null, as in every record.
std::optional<Json> merge_json(const Json& base, const Json& first, const Json& second) {
  if (first == second || second == base) return first;
  if (first == base) return second;
  if (!base.as_object() || !first.as_object() || !second.as_object()) return std::nullopt;
  std::set<std::string> keys;
  for (const Json* object : {&base, &first, &second})
    for (const auto& [key, ignored] : *object->as_object()) keys.insert(key);
  Json merged = Json::object();
  for (const std::string& key : keys) {
    auto value = merge_json(member(base, key), member(first, key), member(second, key));
    if (!value) return std::nullopt;
    const bool is_absent = value->is_null() && base.find(key) == nullptr;
    if (!is_absent) merged.set(key, std::move(*value));
  }
  return merged;
}

using Parts = std::vector<MixPart>;

double sum_of(const Parts& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const MixPart& part) { return sum + part.score; });
}

std::optional<Hypothesis> mix_of(const Recipe& base, const Parts& parts) {
  Hypothesis made;
  made.dimension = "mix";
  made.recipe = base;
  std::vector<std::string> ids;
  std::vector<std::string> titles;
  for (const MixPart& part : parts) {
    auto merged = merge_recipes(base, made.recipe, part.hypothesis->recipe);
    if (!merged) return std::nullopt;
    // What another part holds already adds nothing, nor its name.
    if (!ids.empty() && to_json(*merged) == to_json(made.recipe)) continue;
    made.recipe = std::move(*merged);
    ids.push_back(part.hypothesis->id);
    titles.push_back(part.hypothesis->title);
  }
  made.id = join(ids, "+");
  made.title = join(titles, " and ");
  made.reason = "each was faster alone";
  made.predicted = "what they change, together";
  made.priority = -sum_of(parts);
  return made;
}

}  // namespace

std::optional<Recipe> merge_recipes(const Recipe& base, const Recipe& first, const Recipe& second) {
  const auto merged = merge_json(to_json(base), to_json(first), to_json(second));
  if (!merged) return std::nullopt;
  auto recipe = from_json<Recipe>(*merged);
  return recipe ? std::optional(std::move(*recipe)) : std::nullopt;
}

std::vector<Hypothesis> mix(const Recipe& base, const std::vector<MixPart>& parts,
                            std::size_t most) {
  std::vector<Parts> combinations;
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t k = i + 1; k < parts.size(); ++k) combinations.push_back({parts[i], parts[k]});
  if (parts.size() > 2) combinations.push_back(parts);
  std::ranges::stable_sort(combinations, std::less(), sum_of);
  std::vector<Hypothesis> mixes;
  for (const Parts& combination : combinations) {
    if (mixes.size() == most) break;
    if (auto made = mix_of(base, combination)) mixes.push_back(std::move(*made));
  }
  return mixes;
}

}  // namespace hone
