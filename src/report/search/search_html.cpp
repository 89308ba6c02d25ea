#include "report/search/search_html.h"

#include <algorithm>
#include <map>

#include "base/counted.h"
#include "base/text.h"
#include "record/target_name.h"
#include "report/html/page.h"
#include "report/search/forest.h"
#include "report/search/insight_html.h"
#include "report/search/pareto.h"
#include "report/search/search_view.h"
#include "report/trace/text.h"

namespace hone {
namespace {

using search_view::Ships;

const SearchArm* shipped_arm(const SearchResult& result) {
  switch (search_view::what_ships(result)) {
    case Ships::champion:
      return search_view::champion_of(result);
    case Ships::baseline:
      return search_view::baseline_of(result);
    case Ships::nothing:
      break;
  }
  return nullptr;
}

Html shipped_name(const SearchResult& result) {
  const SearchArm* arm = shipped_arm(result);
  if (arm == nullptr) return "Nothing";
  const Html name = element("code", arm->hypothesis.id);
  return arm == search_view::champion_of(result) ? name : name + Html(", the baseline");
}

// "18 arms", or "2 of 18 arms" where the time was over before.
std::string tried_text(const SearchResult& result) {
  const auto is_tried = [&](const SearchArm& arm) {
    return &arm == search_view::baseline_of(result) || arm.outcome != ArmOutcome::pending;
  };
  const auto tried = static_cast<std::uint64_t>(std::ranges::count_if(result.arms, is_tried));
  const std::string all = counted(result.arms.size(), "arm");
  return tried == result.arms.size() ? all : format_count(tried) + " of " + all;
}

Html summary(const SearchResult& result) {
  Html facts = figure("Ships", shipped_name(result));
  const SearchArm* champion = search_view::champion_of(result);
  const ComparedArm* speed = champion == nullptr ? nullptr : search_view::speed_of(*champion);
  if (speed != nullptr) {
    facts += figure("Speed", text_form::fixed(1 / speed->ratio, 2) + " times the baseline's");
    facts += figure("Time", search_view::ratio_text(*speed) + " of the baseline's");
    facts += figure("Median", search_view::milliseconds(result.baseline_ms) + " to " +
                                  search_view::milliseconds(speed->median_ms));
  } else if (result.baseline_ms) {
    facts += figure("Median of the baseline", search_view::milliseconds(result.baseline_ms));
  }
  if (champion != nullptr)
    facts += figure("Accuracy", search_view::accuracy_text(champion->accuracy));
  facts += figure("Tried", tried_text(result) + ", " + format_count(result.skips.size()) +
                               " skipped, " + text_form::fixed(result.seconds, 0) + " s");
  return element("p", {{"class", "verdict"}}, search_view::headline(result)) +
         element("dl", {{"class", "figures"}}, facts);
}

Html copyable(std::string_view id, const std::string& text) {
  // The script shows the button: without it the text can still be selected.
  const Html button = element(
      "button",
      {{"type", "button"}, {"class", "copy"}, {"data-copy", std::string(id)}, {"hidden", ""}},
      "Copy");
  return element(
      "div", {{"class", "copyable"}},
      button + element("pre", {{"id", std::string(id)}, {"tabindex", "0"}}, element("code", text)));
}

Html recipe(const SearchResult& result) {
  const SearchArm* arm = shipped_arm(result);
  if (arm == nullptr) return {};
  const std::vector<std::string> words = {"hone",        "build", result.model, "-c",
                                          "recipe.json", "-o",    "build"};
  Html html;
  if (!arm->recipe_hash.empty())
    html += element("p", Html("SHA-256 ") + element("code", arm->recipe_hash));
  html +=
      copyable("recipe-json", to_document(arm->hypothesis.recipe, recipe_schema_version).dump());
  html += element("p", Html("To use it, save this as ") + element("code", "recipe.json") +
                           Html(" and build the model by it:"));
  return html + copyable("recipe-command", to_shell(words));
}

// The best on each of several targets.
Html targets(const SearchResult& result) {
  if (result.targets.empty()) return {};
  Html rows;
  for (const TargetBest& best : result.targets) {
    ComparedArm speed;
    speed.ratio = best.ratio;
    speed.interval = best.interval;
    rows +=
        element("tr", element("td", target_name(best.target)) +
                          element("td", element("code", best.arm.value_or("-"))) +
                          element("td", best.arm ? search_view::ratio_text(speed) : best.reason) +
                          element("td", search_view::milliseconds(best.median_ms)) +
                          element("td", best.ships ? "yes" : ""));
  }
  const Html heading = element("tr", element("th", "Target") + element("th", "Best there") +
                                         element("th", "Time, baseline = 1") +
                                         element("th", "Median") + element("th", "Ships"));
  return element("div", {{"class", "scroll"}},
                 element("table", element("thead", heading) + element("tbody", rows)));
}

// What was let go before it had a speed: in words, never drawn. What went alike stands together.
Html others(const SearchResult& result) {
  std::map<ArmOutcome, std::vector<const SearchArm*>> groups;
  for (const SearchArm* arm : search_view::other_arms(result)) groups[arm->outcome].push_back(arm);
  Html items;
  for (const auto& [outcome, arms] : groups) {
    Html names;
    for (const SearchArm* arm : arms) {
      names += Html(names.empty() ? " " : ", ") + element("code", arm->hypothesis.id);
      if (arm->same_as)
        names += Html(" (the same as ") + element("code", *arm->same_as) + Html(")");
      if (outcome == ArmOutcome::futile && !arm->reason.empty())
        names += Html(" (" + arm->reason + ")");
    }
    const std::string title =
        std::string(search_view::outcome_text(outcome)) + ", " + format_count(arms.size()) + ":";
    items += element("li", element("strong", title) + names);
  }
  if (items.empty()) return {};
  return element("h3", "Without a speed") +
         element("p", {{"class", "quiet"}},
                 "These arms were let go before a comparison on fresh sessions. What a race shows "
                 "along the way favours its winner, so no speed is given for them.") +
         element("ul", {{"class", "plain"}}, items);
}

Html arms(const SearchResult& result) {
  Html html = forest_plot(result);
  if (html.empty()) html = element("p", "No arm was compared with the baseline on fresh sessions.");
  return html + others(result);
}

Html certificate(const std::optional<NoiseCertificate>& certificate) {
  if (!certificate) return Html("not certified: run ") + element("code", "hone doctor noise");
  Html html = search_view::certificate_text(certificate);
  for (const NoiseCertificate::Power& power : certificate->power) {
    html += element("p", "an effect of " + search_view::percent(power.effect) + " was found in " +
                             format_count(power.found) + " of " + counted(power.trials, "trial"));
  }
  return html;
}

Html environment(const SearchResult& result) {
  Html facts;
  for (const auto& [name, value] : result.environment_facts) facts += fact(name, value);
  facts += fact("Target", search_view::targets_text(result));
  if (!result.model_sha256.empty())
    facts += fact("Model, SHA-256", element("code", result.model_sha256));
  if (!result.environment.empty()) facts += fact("Key", element("code", result.environment));
  if (result.confirmation) {
    facts += fact("Sessions", format_count(result.confirmation->sessions) + " fresh ones, margin " +
                                  search_view::percent(result.confirmation->margin));
  }
  if (result.noise_floor) facts += fact("Noise floor", search_view::percent(*result.noise_floor));
  if (result.drift) facts += fact("Drift of the baseline", search_view::percent(*result.drift));
  if (result.load) facts += fact("Used by others", search_view::percent(*result.load));
  facts += fact("False keeps", certificate(result.certificate));
  return element("dl", {{"class", "facts"}}, facts);
}

Html reproduce(const SearchResult& result) {
  if (result.reproduce.empty()) return {};
  return copyable("reproduce-commands", join(result.reproduce, "\n"));
}

Html notes(const SearchResult& result) {
  Html items;
  if (result.champion && search_view::champion_of(result) == nullptr) {
    items +=
        element("li", Html("The result names a champion, ") + element("code", *result.champion) +
                          Html(", that is none of its arms."));
  }
  for (const std::string& note : result.notes) items += element("li", note);
  return items.empty() ? items : element("ul", items);
}

Html raw_data() {
  return element("p", {{"id", "download"}},
                 "The whole result, with every sample, is in this file as JSON.") +
         element("noscript", element("p", Html("It is the text of the element ") +
                                              element("code", "result-data") +
                                              Html("; a download needs JavaScript.")));
}

std::vector<PageSection> sections_of(const SearchResult& result, const SearchTraces& traces) {
  return {
      {"summary", "Verdict", summary(result)},
      {"recipe", "Recipe", recipe(result)},
      {"targets", "Targets", targets(result)},
      {"arms", "Arms", arms(result)},
      {"accuracy", "Speed and accuracy", pareto_plot(result)},
      {"trace", "Where the time goes", trace_table(traces)},
      {"insight", "Insight", insight_section(result)},
      {"notes", "Notes", notes(result)},
      {"environment", "Environment", environment(result)},
      {"reproduce", "Reproduce", reproduce(result)},
      {"data", "Raw data", raw_data()},
  };
}

}  // namespace

std::string search_page(const SearchResult& result, const SearchTraces& traces) {
  const std::string under = "on " + search_view::targets_text(result) +
                            (result.objective.empty() ? "" : ", searched for " + result.objective);
  return write_page({
      .title = "hone: " + result.model,
      .header = element("h1", result.model) + element("p", under),
      .sections = sections_of(result, traces),
      .data = element("script", {{"type", "application/json"}, {"id", "result-data"}},
                      json_data(to_document(result, search_schema_version))),
      .styles = {"report.css"},
      .script = "report.js",
  });
}

}  // namespace hone
