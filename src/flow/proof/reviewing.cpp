#include "flow/proof/reviewing.h"

#include "base/text.h"
#include "flow/proof/bundle_source.h"
#include "flow/proof/climb.h"
#include "support/again.h"
#include "support/bundle.h"
#include "support/lines.h"
#include "support/plain_name.h"
#include "support/review.h"

namespace hone {
namespace {

// A reviewer who climbs again.
class Reviewer {
 public:
  Reviewer(const ReviewOrder& order, Path bundle, const Watch& watch)
      : order_(order), folder_(std::move(bundle)), watch_(watch) {}

  Result<Review> run() {
    HONE_TRY(ReadBundle read, read_bundle(folder_));
    lines_.add(std::move(read.lines));
    if (read.bundle) {
      lines_.add(check_bundle(*read.bundle));
      const std::vector<std::string> risks = risks_of(*read.bundle);
      if (risks.empty() || order_.trusts) {
        if (const Status climbed = climb_again(*read.bundle); !climbed)
          cannot("again", "ladder.json", climbed.error());
      } else {
        lines_.require("again.options", false, LineVerdict::changes, "recipe.json#/recipe",
                       join(risks, ", ") + ": it may load libraries and write files; read it, " +
                           "then --trust-recipe");
      }
    }
    Review review;
    review.bundle = folder_.string();
    review.bundle_sha256 = read.manifest_sha256;
    review.is_full = order_.is_full;
    review.lines = lines_.take();
    review.verdict = verdict_of(review.lines);
    return review;
  }

 private:
  void cannot(const std::string& check, const std::string& citation, const Error& error) {
    lines_.require(check, false, LineVerdict::changes, citation,
                   "cannot be checked: " + what_and_why(error));
  }

  Status climb_again(const Bundle& bundle) {
    HONE_TRY(const TemporaryFolder work, TemporaryFolder::create("review"));
    ClimbSite site;
    site.file = bundle.recipe;
    site.work = work.path();
    site.host = order_.host;
    site.races = order_.is_full;
    site.race_s = order_.race_s;
    site.watch = watch_;
    auto model =
        find_source(bundle.recipe.source, {folder_, order_.models, work.path(), order_.host});
    if (!model) {
      cannot("again.source", "recipe.json#/source", model.error());
      return done();
    }
    site.model = *std::move(model);
    site.also = other_targets(bundle);
    HONE_TRY(const ReviewSite here, compare_sites(bundle.ladder, site));
    check_coverage(bundle, site, here);
    const auto built = build_anew(site);
    if (!built) {
      check_fallen(bundle.ladder, built.error(), here);
      return done();
    }
    lines_.add(compare_artifacts(bundle.artifacts, built->artifacts, here));
    lines_.add(compare_receipts(bundle.receipt, built->receipt, here));
    for (const TierProof& tier : bundle.ladder.tiers) check_tier(tier, site, *built, here);
    return done();
  }

  void check_coverage(const Bundle& bundle, const ClimbSite& site, const ReviewSite& here) {
    const auto again = coverage_of(site);
    if (!again) return cannot("again.coverage", "coverage.json", again.error());
    lines_.add(compare_coverage(bundle.coverage, *again, here));
  }

  // A build that is said to have failed may do so again.
  void check_fallen(const Ladder& ladder, const Error& error, const ReviewSite& here) {
    const bool is_said = ladder.tiers.size() == 1 &&
                         ladder.tiers.front().verdict == TierVerdict::fail &&
                         !ladder.tiers.front().structure;
    if (is_said) {
      lines_.add(compare_tier(ladder.tiers.front(), fallen(error), here));
    } else {
      cannot("again.build", "receipt.json", error);
    }
  }

  // All that a bundle speaks of, whether they ran there or not; names that are none of a target are
  // held against it already, and a bundle of a hundred targets is not worth a day.
  static std::vector<Target> other_targets(const Bundle& bundle) {
    constexpr std::size_t most = 16;
    std::vector<Target> targets;
    for (const TierProof& tier : bundle.ladder.tiers) {
      for (const RunProof& run : tier.runs) {
        const bool is_own = to_json(run.target) == to_json(bundle.recipe.recipe.target);
        const bool is_plain = is_plain_name(run.target.ep) && is_plain_name(run.target.device);
        if (!is_own && is_plain && targets.size() < most) targets.push_back(run.target);
      }
    }
    return targets;
  }

  static Result<ReviewSite> compare_sites(const Ladder& ladder, const ClimbSite& site) {
    HONE_TRY(const auto facts, site_facts(site));
    const auto same = [&](const std::string& name) {
      const auto here = facts.find(name);
      const auto there = ladder.machine.find(name);
      return here != facts.end() && there != ladder.machine.end() && here->second == there->second;
    };
    return ReviewSite{.same_versions = same("tool_version") && same("ort_version"),
                      .same_machine = same("cpu") && same("cores")};
  }

  void check_tier(const TierProof& claimed, const ClimbSite& site, const BuiltHere& built,
                  const ReviewSite& here) {
    TierProof again = climb(claimed.tier, site, built);
    // Without a race a tier that ran is as good as one that raced.
    const bool ran = !again.runs.empty() && again.runs.front().kind == RunClass::ran;
    if (!site.races && ran) again.verdict = TierVerdict::pass;
    lines_.add(compare_tier(claimed, again, here));
  }

  const ReviewOrder& order_;
  Path folder_;
  const Watch& watch_;
  Lines lines_;
};

// A name that leads nowhere is a slip of who calls, and is said before hours of work; what lies in
// a folder is the bundle's.
Status check_folders(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    std::error_code problem;
    if (!std::filesystem::is_directory(folder, problem))
      return fail(Fault::not_found, "there is no folder '" + folder + "'");
  }
  return done();
}

// What stops one review is told with the others.
Review without_review(const std::string& folder, const Error& error) {
  return {.bundle = folder,
          .bundle_sha256 = {},
          .lines = {{.check = "bundle",
                     .verdict = LineVerdict::changes,
                     .citation = ".",
                     .what = "cannot be checked: " + what_and_why(error)}}};
}

// Files that are not what the manifest promises: whoever reads the report must know.
std::vector<std::string> doubts_of(const std::vector<ReviewLine>& lines) {
  std::vector<std::string> doubts;
  for (const ReviewLine& line : lines)
    if (line.verdict != LineVerdict::holds) doubts.push_back(line.citation + ": " + line.what);
  return doubts;
}

}  // namespace

Result<Reviews> review(const ReviewOrder& order, const Watch& watch) {
  HONE_TRY_DO(check_folders(order.bundles));
  Reviews reviews;
  for (const std::string& folder : order.bundles) {
    auto made = Reviewer(order, folder, watch).run();
    reviews.reviews.push_back(made ? *std::move(made) : without_review(folder, made.error()));
  }
  return reviews;
}

Result<ToldBundle> read_whole_bundle(const Path& folder) {
  HONE_TRY(ReadBundle read, read_bundle(folder));
  if (!read.bundle)
    return fail(Fault::bad_input, "'" + folder.string() + "' is no whole bundle", {},
                "hone recipe review says what is wrong with it");
  return ToldBundle{*std::move(read.bundle), doubts_of(read.lines)};
}

}  // namespace hone
