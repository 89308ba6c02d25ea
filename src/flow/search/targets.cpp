#include "flow/search/targets.h"

#include <algorithm>

#include "base/misuse.h"
#include "base/text.h"
#include "flow/where.h"
#include "runtime/ep_names.h"

namespace hone {
namespace {

constexpr std::string_view auto_word = "auto";

// "sim/npu" is the NPU of sim; "cuda" is of the class that was said beside it, if any.
Target read_target(const std::string& word, const Where& said) {
  const std::size_t slash = word.find('/');
  Target target;
  target.ep = ep_short_name(word.substr(0, slash));
  if (slash != std::string::npos) {
    target.device = word.substr(slash + 1);
  } else if (!said.device.empty()) {
    target.device = said.device;
  }
  return target;
}

std::string words_of(const Target& target) { return target.ep + "/" + target.device; }

std::string name_of(const Target& target) {
  return target.device == auto_word ? target.ep : words_of(target);
}

Where where_at(const Where& said, const Target& target) {
  Where where = said;
  where.ep = target.ep;
  where.device = target.device == "auto" ? "" : target.device;
  return where;
}

// The EP's name, and the class where it is there on another one too.
std::string label_of(const Target& target, const std::vector<Target>& all) {
  const auto same = std::ranges::count(all, target.ep, &Target::ep);
  return same > 1 ? words_of(target) : target.ep;
}

Result<SearchTargets> targets_at(const std::vector<Target>& all, const Where& said) {
  SearchTargets targets;
  for (const Target& target : all) {
    const auto same = std::ranges::count(all, words_of(target), words_of);
    if (same > 1) return misuse("--ep names " + name_of(target) + " twice", "name it once");
    const std::string label = targets.all.empty() ? "" : label_of(target, all);
    targets.all.push_back({where_at(said, target), label});
  }
  return targets;
}

Result<std::vector<Target>> survey_targets(const Where& said, const Watch& watch) {
  HONE_TRY(std::vector<Target> offered,
           offered_targets(said.host, [&](const std::string& doing) { watch.step(doing); }));
  if (!said.device.empty() && said.device != auto_word)
    std::erase_if(offered, [&](const Target& target) { return target.device != said.device; });
  if (!offered.empty()) return offered;
  return fail(Fault::bad_input, "this machine offers nothing to search on",
              said.device.empty() ? "" : "no device of the class " + said.device,
              "hone sys lists what there is");
}

}  // namespace

bool names_several(const Where& said) {
  return said.ep == auto_word || said.ep.find(',') != std::string::npos;
}

Result<SearchTargets> find_targets(const Where& said, const Watch& watch) {
  const bool is_one = !names_several(said) && said.ep.find('/') == std::string::npos;
  if (is_one) return SearchTargets{.all = {{said, ""}}};
  if (names_several(said) && !said.ep_options.empty()) {
    return misuse("--ep-options are those of one EP, and --ep names several",
                  "search each by itself, or leave the options to the search");
  }
  if (said.ep == auto_word) {
    HONE_TRY(const std::vector<Target> offered, survey_targets(said, watch));
    HONE_TRY(SearchTargets targets, targets_at(offered, said));
    targets.is_auto = true;
    return targets;
  }
  std::vector<Target> named;
  for (const std::string& word : split(said.ep, ',')) {
    if (word.empty())
      return misuse("--ep '" + said.ep + "' has a name that is empty",
                    "hone sys lists what there is");
    named.push_back(read_target(word, said));
    HONE_TRY_DO(check_target(named.back(), said.host));
  }
  return targets_at(named, said);
}

}  // namespace hone
