#pragma once
// The part of verifying that runs models, each in a process of its own: a package is a stranger's
// until it has passed.

#include <optional>
#include <string>
#include <vector>

#include "flow/job.h"
#include "flow/proof/verify.h"
#include "record/evidence.h"
#include "record/perf.h"

namespace hone {

class VerifyRuns {
 public:
  // `evidence` is null where there is none. REQUIRES: all of them outlive this.
  VerifyRuns(const VerifyOrder& order, const Fetched& package, const CellEvidence* evidence,
             const Watch& watch)
      : order_(order), package_(package), evidence_(evidence), watch_(watch) {}

  // Of the model, and of the champion where a search kept one.
  std::vector<VerifyCheck> check();

 private:
  // Where the model runs here, and whether that is what it was built for.
  struct Site {
    Where where;
    std::string name;  // "qnn/npu"
    bool is_own = false;
  };
  // One model of the package.
  struct Subject {
    std::string folder;  // "" or "champion"
    std::string prefix;  // of its checks' names
    std::string path;
    Recipe recipe;
  };

  void check_model(const std::string& folder);
  Result<Site> choose_site(const Subject& subject);
  Site site_of(const Target& target, bool is_own) const;
  bool check_run(const Subject& subject, const Site& site);
  void check_placement(const Subject& subject, const Site& site, const PerfResult& perf);
  void check_numerics(const Subject& subject, const Site& site);
  void check_claims(const Subject& subject, const Site& site);
  Result<CompareReport> compare(const Subject& subject, const Site& site, std::int64_t samples,
                                std::uint64_t seed);
  Result<std::string> shape_config();
  // A job on the inputs of the evidence.
  template <class Order>
  Result<typename Order::Answer> run(Order order) {
    HONE_TRY(order.shape_config, shape_config());
    return run_apart(order, order_.where.host.program,
                     {.time = std::chrono::seconds(order_.timeout_s)}, {.stop = watch_.stop});
  }
  std::string float_stage() const;

  void add(std::string name, CheckVerdict verdict, std::string measured);
  void add_failure(std::string name, const Error& error);

  const VerifyOrder& order_;
  const Fetched& package_;
  const CellEvidence* evidence_;
  const Watch& watch_;
  std::optional<TemporaryFolder> scratch_;
  std::vector<VerifyCheck> checks_;
};

}  // namespace hone
