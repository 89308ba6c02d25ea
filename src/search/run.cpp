#include "search/run.h"

#include <numeric>

#include "base/hash.h"

namespace hone {
namespace {

constexpr std::size_t most_finalists = 2;

// With the best of each other target beside the fastest.
std::size_t most_in_final(const SearchPlan& plan) {
  const auto targets =
      std::ranges::count(plan.hypotheses, std::string("target"), &Hypothesis::dimension);
  return most_finalists + static_cast<std::size_t>(targets);
}

Result<Result<BuiltModel>> build(SearchRun& run, Contender& contender) {
  const Recipe& recipe = contender.arm.hypothesis.recipe;
  const std::string subject = build_subject(run, contender.arm);
  const auto work = [&](double limit_s) { return run.tools.build(recipe, limit_s); };
  HONE_TRY(Result<BuiltModel> built, once<BuiltModel>(run, subject, "build", work));
  if (!built || run.tools.still_there(*built)) return built;
  Result<BuiltModel> again = work(run.step_limit());
  if (!again) return again;
  if (again->sha256 != built->sha256)
    run.notes.push_back(contender.arm.hypothesis.id + " was built again, with other bytes");
  HONE_TRY_DO(run.journal.store_step(run.key(subject), "build",
                                     Json::object().set("value", to_json(*again))));
  return again;
}

// An arm that runs the same bytes in the same way; null when there is none.
const Contender* find_same(const SearchRun& run, const Contender& contender) {
  const std::string identity = run_identity(contender.arm);
  for (const auto& other : run.contenders) {
    if (other.get() == &contender) return nullptr;
    if (other->arm.built && other->arm.outcome != ArmOutcome::no_op &&
        run_identity(other->arm) == identity)
      return other.get();
  }
  return nullptr;
}

Status check_numerics(SearchRun& run, Contender& contender) {
  SearchArm& arm = contender.arm;
  HONE_TRY(const Result<AccuracyCheck> checked,
           once<AccuracyCheck>(run, check_subject(run, arm), "numerics", [&](double limit_s) {
             return run.tools.check_numerics(*arm.built, arm.hypothesis.recipe, limit_s);
           }));
  if (!checked) {
    if (run.is_stopped()) return done();
    if (run.was_late(checked.error())) {
      contender.leave(ArmOutcome::out_of_time, "the time was over while its answers were compared");
      return done();
    }
    contender.leave(checked.error().fault == Fault::unsupported ? ArmOutcome::placement_failed
                                                                : ArmOutcome::run_failed,
                    checked.error());
    return done();
  }
  arm.numerics = *checked;
  if (checked->verdict == CheckVerdict::pass) {
    contender.is_racing = true;
    return done();
  }
  contender.leave(ArmOutcome::numerics_failed, checked->reason);
  arm.fault = name_of(checked->verdict);
  return done();
}

}  // namespace

std::string run_identity(const SearchArm& arm) {
  const Recipe& recipe = arm.hypothesis.recipe;
  Sha256 hash;
  hash.add_field(arm.built->sha256);
  hash.add_field(to_json(recipe.target).canonical());
  hash.add_field(to_json(recipe.session).canonical());
  return hash.finish().hex();
}

bool was_cut_short(const SearchRun& run, const Json& outcome) {
  const Json* error = outcome.find("error");
  const Json* fault = error != nullptr ? error->find("fault") : nullptr;
  if (fault == nullptr || *fault != Json(name_of(Fault::timeout))) return false;
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  const auto limit_of = [](double seconds) { return seconds > 0 ? seconds : unlimited; };
  const Json* limit = outcome.find("limit_s");
  const auto stored = limit != nullptr ? limit->to_double() : Result<double>(0.0);
  return stored && limit_of(run.plan.step_limit_s) > limit_of(*stored);
}

std::string ratio_words(double difference) {
  const auto tenths = static_cast<std::int64_t>(std::lround(std::exp(difference) * 10));
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " times";
}

double excess_noise(const SearchRun& run, std::size_t blocks) {
  if (run.wobble.empty() || blocks == 0) return 0;
  // Of the difference of two blocks, by the median: a spike is no noise of all.
  constexpr double normal = 1.4826;
  constexpr double usual = 0.02;
  const double noise = normal * middle_of(run.wobble);
  return std::max(noise - usual, 0.0) / std::sqrt(static_cast<double>(blocks));
}

std::optional<double> mean_load(const SearchRun& run) {
  if (run.loads.empty()) return std::nullopt;
  return std::accumulate(run.loads.begin(), run.loads.end(), 0.0) /
         static_cast<double>(run.loads.size());
}

bool is_busy(const SearchRun& run) {
  return mean_load(run).value_or(0) > busy_share || excess_noise(run, run.plan.screen_rounds) > 0;
}

double Contender::score() const { return middle_of(differences); }

Contender& SearchRun::add(Hypothesis hypothesis) {
  auto contender = std::make_unique<Contender>();
  contender->arm.recipe_hash = hash_of(hypothesis.recipe);
  contender->arm.hypothesis = std::move(hypothesis);
  contenders.push_back(std::move(contender));
  return *contenders.back();
}

double SearchRun::final_s(std::size_t finalists, std::size_t rounds, std::size_t sessions) const {
  // With the baseline and its clone. A session seldom takes exactly what the last one did.
  constexpr double slack = 1.1;
  return slack * static_cast<double>(sessions) * pace.session_s(finalists + 2, rounds);
}

double SearchRun::left() const {
  if (plan.time_budget_s <= 0) return unlimited_s;
  const double whole = plan.time_budget_s;
  double kept = 0;
  switch (reserve) {
    case Reserve::nothing:
      break;
    case Reserve::cheapest_final:
      kept = final_s(1, 1, plan.least_sessions);
      break;
    case Reserve::first_look:
      kept = final_s(most_in_final(plan), plan.confirm_rounds, plan.looks.front());
      break;
    case Reserve::all_looks:
      kept = final_s(most_in_final(plan), plan.confirm_rounds, plan.looks.back());
      break;
  }
  const bool is_gated = reserve == Reserve::first_look || reserve == Reserve::all_looks;
  if (is_gated) kept += slowest_gate_s * static_cast<double>(most_in_final(plan));
  // A time too short for a whole final is shared evenly: without a race there is nothing to
  // confirm.
  kept = std::min(kept, (whole - raced_from_s) / 2);
  return whole - kept - screen_s - elapsed();
}

double SearchRun::step_limit() const {
  const double own = plan.step_limit_s > 0 ? plan.step_limit_s : unlimited_s;
  return std::min(own, std::max(left(), 0.0));
}

std::optional<double> SearchRun::remaining() const {
  if (measured_blocks == 0) return std::nullopt;
  const auto arms = static_cast<double>(plan.hypotheses.size());
  const auto admitted = static_cast<double>(contenders.size());
  const double admission_pace = (elapsed() - measured_s) / std::max(admitted, 1.0);
  // Each stage halves the arms and doubles their rounds; a group has a baseline besides.
  const double stages = 1 + std::log2(std::max(arms / most_finalists, 1.0));
  const double race = arms * static_cast<double>(plan.screen_rounds) * stages *
                      (1 + 1 / static_cast<double>(plan.group_size));
  const auto final =
      static_cast<double>(plan.looks.back() * plan.confirm_rounds * (most_finalists + 2));
  const double block_s = measured_s / static_cast<double>(measured_blocks);
  const double blocks_left = std::max(race + final - static_cast<double>(blocks), 0.0);
  return std::max(arms - admitted, 0.0) * admission_pace + blocks_left * block_s;
}

Status admit(SearchRun& run, Contender& contender) {
  SearchArm& arm = contender.arm;
  run.tell("build", arm.hypothesis.id, run.contenders.size(), run.plan.hypotheses.size());
  HONE_TRY(Result<BuiltModel> built, build(run, contender));
  if (!built) {
    if (run.is_stopped()) return done();
    if (run.was_late(built.error())) {
      contender.leave(ArmOutcome::out_of_time, "the time was over while it was built");
    } else {
      // What was built and keeps too little of the model is an answer of another kind.
      contender.leave(built.error().fault == Fault::not_held ? ArmOutcome::numerics_failed
                                                             : ArmOutcome::build_failed,
                      built.error());
    }
    return done();
  }
  arm.built = std::move(*built);
  if (const Contender* same = find_same(run, contender)) {
    contender.leave(ArmOutcome::no_op, "the same bytes, run in the same way");
    arm.same_as = same->arm.hypothesis.id;
    return done();
  }
  if (run.is_over()) return done();
  run.tell("check", arm.hypothesis.id, run.contenders.size(), run.plan.hypotheses.size());
  return check_numerics(run, contender);
}

std::vector<Contender*> by_score(const SearchRun& run) {
  std::vector<Contender*> found;
  for (const auto& contender : run.contenders)
    if (contender->has_score()) found.push_back(contender.get());
  const auto order = [](const Contender* contender) {
    return std::pair(!contender->is_racing, contender->score());
  };
  std::erase_if(found, [](const Contender* contender) {
    const ArmOutcome outcome = contender->arm.outcome;
    return !contender->is_racing && outcome != ArmOutcome::raced_out &&
           outcome != ArmOutcome::confirmed;
  });
  std::ranges::stable_sort(found, std::less(), order);
  return found;
}

}  // namespace hone
