// One session of arms: rounds that the journal has, and the rest from the machine.

#include "base/hash.h"
#include "base/random.h"
#include "search/run.h"

namespace hone {
namespace {

// Who races, and in which session: what lots are drawn by.
std::string lot_of(const SearchRun& run, const SessionRequest& request) {
  Sha256 hash;
  hash.add_field(request.purpose).add_number(run.plan.seed);
  for (const Contender* arm : request.arms) hash.add_field(run_identity(arm->arm));
  return hash.finish().hex();
}

// An interrupted session goes on with fresh workers: another seed, or they would start alike.
std::uint64_t seed_of(const std::string& lot, std::size_t known_rounds) {
  const Digest digest = sha256(lot);
  std::uint64_t seed = known_rounds;
  for (std::size_t i = 0; i < 8; ++i) seed = mix64(seed ^ digest.bytes[i]);
  return seed;
}

// Each arm once, with a time that can be one.
Status check_round(const std::vector<ArmBlock>& round, std::size_t arms) {
  std::vector<bool> seen(arms, false);
  for (const ArmBlock& block : round) {
    if (block.arm >= arms || seen[block.arm])
      return fail(Fault::bad_input, "a round has a block that is no arm's");
    if (!std::isfinite(block.log_ns))
      return fail(Fault::bad_input, "a round has a block without a time");
    seen[block.arm] = true;
  }
  if (round.size() != arms) return fail(Fault::bad_input, "a round lacks the block of an arm");
  return done();
}

double baseline_in(const std::vector<ArmBlock>& round) {
  return std::ranges::find(round, std::uint64_t{0}, &ArmBlock::arm)->log_ns;
}

// Takes rounds as they come: stores each, and says when to end.
class Recorder {
 public:
  Recorder(SearchRun& run, const SessionRequest& request, JournalKey key)
      : run_(run), request_(request), key_(std::move(key)) {}

  Status recall() {
    HONE_TRY(auto known, run_.journal.find_rounds(key_));
    for (auto& round : known) {
      HONE_TRY_DO(check_round(round, request_.arms.size()));
      if (is_at_end()) break;
      take(std::move(round));
    }
    // After its rounds, as when it ran: what was decided then is decided again.
    HONE_TRY(const auto load, run_.journal.find_step(key_, "load"));
    if (!load) return done();
    HONE_TRY(const double share, load->to_double());
    run_.loads.push_back(share);
    return done();
  }

  Status keep_load(double share) {
    run_.loads.push_back(share);
    return run_.journal.store_step(key_, "load", Json(share));
  }

  Status record(const std::vector<ArmBlock>& round) {
    HONE_TRY_DO(check_round(round, request_.arms.size()));
    if (is_at_end()) return fail(Fault::runtime, "the session has ended");
    if (auto stored = run_.journal.store_round(key_, outcome_.session.rounds.size(), round);
        !stored) {
      journal_error_ = stored.error();
      return stored;
    }
    take(round);
    if (is_at_end()) return is_complete() ? done() : fail(Fault::runtime, "the session is cut");
    if (!run_.is_over()) return done();
    outcome_.end = RaceEnd::interrupted;
    return fail(Fault::timeout, "the session is interrupted");
  }

  bool is_complete() const { return outcome_.session.rounds.size() >= request_.rounds; }
  bool is_at_end() const { return is_complete() || outcome_.end != RaceEnd::complete; }
  std::size_t missing() const { return request_.rounds - outcome_.session.rounds.size(); }
  const std::optional<Error>& journal_error() const { return journal_error_; }
  SessionOutcome& outcome() { return outcome_; }

 private:
  void take(std::vector<ArmBlock> round) {
    run_.blocks += round.size();
    if (!outcome_.session.rounds.empty()) {
      const double before = baseline_in(outcome_.session.rounds.back());
      run_.wobble.push_back(std::abs(baseline_in(round) - before));
    }
    const bool goes_on = request_.goes_on(round);
    outcome_.session.rounds.push_back(std::move(round));
    if (!goes_on && !is_complete()) outcome_.end = RaceEnd::cut;
  }

  SearchRun& run_;
  const SessionRequest& request_;
  JournalKey key_;
  SessionOutcome outcome_;
  std::optional<Error> journal_error_;
};

std::vector<SearchArmRun> runs_of(const SessionRequest& request) {
  std::vector<SearchArmRun> runs;
  for (const Contender* arm : request.arms)
    runs.push_back({*arm->arm.built, arm->arm.hypothesis.recipe});
  return runs;
}

// Runs what is missing. The outer result is the journal's.
Result<Status> measure_rest(SearchRun& run, const SessionRequest& request, const std::string& lot,
                            Recorder& recorder) {
  const std::vector<SearchArmRun> arms = runs_of(request);
  const std::size_t known = recorder.outcome().session.rounds.size();
  const double begun = run.tools.seconds();
  const std::uint64_t blocks = run.blocks;
  const SessionOrder order{.arms = arms,
                           .rounds = recorder.missing(),
                           .seed = seed_of(lot, known),
                           .limit_s = std::max(run.left(), 0.0)};
  std::vector<double> times;  // of the rounds' ends
  run.tools.load();           // of this session alone
  auto ran = run.tools.run_session(order, [&](const std::vector<ArmBlock>& round) {
    times.push_back(run.tools.seconds());
    return recorder.record(round);
  });
  run.measured_s += run.tools.seconds() - begun;
  run.measured_blocks += run.blocks - blocks;
  if (const auto load = run.tools.load()) HONE_TRY_DO(recorder.keep_load(*load));
  if (!times.empty()) {
    const double rounds_s = times.back() - times.front();
    const double rest_s = run.tools.seconds() - begun - rounds_s;
    run.pace.add(arms.size(), rest_s, times.size() - 1, rounds_s);
  }
  if (recorder.journal_error()) return fail(*recorder.journal_error());
  if (recorder.is_at_end()) return done();
  if (!ran) return Status(fail(ran.error()));
  const bool is_limited = order.limit_s < unlimited_s;
  if (!is_limited) return Status(fail(Fault::runtime, "the session ended before its last round"));
  recorder.outcome().end = RaceEnd::interrupted;
  return done();
}

}  // namespace

Result<SessionOutcome> run_session(SearchRun& run, const SessionRequest& request) {
  const std::string lot = lot_of(run, request);
  const JournalKey key = run.key(lot + "/" + run.plan.conditions);
  Recorder recorder(run, request, key);
  HONE_TRY_DO(recorder.recall());
  SessionOutcome& outcome = recorder.outcome();
  if (recorder.is_at_end()) return std::move(outcome);
  HONE_TRY(const std::optional<Json> failed, run.journal.find_step(key, "session"));
  if (!failed && run.is_over()) {
    outcome.end = RaceEnd::interrupted;
    return std::move(outcome);
  }
  // A session that failed once is not run again, unless the machine was at fault.
  Error error;
  if (failed) {
    HONE_TRY(error, from_json<Error>(*failed));
  } else {
    HONE_TRY(const Status ran, measure_rest(run, request, lot, recorder));
    if (ran) return std::move(outcome);
    if (run.is_stopped()) {
      outcome.end = RaceEnd::interrupted;
      return std::move(outcome);
    }
    error = ran.error();
    if (error.fault != Fault::io)
      HONE_TRY_DO(run.journal.store_step(key, "session", to_json(error)));
  }
  outcome.end = RaceEnd::failed;
  outcome.error = std::move(error);
  return std::move(outcome);
}

}  // namespace hone
