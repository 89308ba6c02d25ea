#include "flow/proof/verify.h"

#include <algorithm>

#include "base/counted.h"
#include "base/text.h"
#include "catalog/cell_checks.h"
#include "catalog/choose.h"
#include "catalog/new_folder.h"
#include "flow/proof/verify_runs.h"
#include "flow/where.h"
#include "support/lines.h"

namespace hone {
namespace {

class CellVerification {
 public:
  CellVerification(const VerifyOrder& order, const Watch& watch) : order_(order), watch_(watch) {}

  Result<Verified> run() {
    if (!order_.keep.empty()) HONE_TRY_DO(check_new_folder(order_.keep));
    HONE_TRY(const PackageReference package, parse_reference(order_.reference));
    HONE_TRY(const auto source, open_destination(package.address, order_.publishing));
    if (const Status ready = source->ready(Access::read); !ready)
      return Verified{.report = {}, .refusal = ready.error()};
    report_.reference = order_.reference;
    HONE_TRY_DO(fetch(*source, package.version));
    if (package_) {
      read_evidence(*source, package.version);
      run_models();
    }
    report_.holds = std::ranges::none_of(report_.checks, [this](const VerifyCheck& check) {
      return is_wrong(check, order_.is_strict);
    });
    return Verified{.report = std::move(report_), .refusal = {}};
  }

 private:
  Result<Path> folder() {
    if (!order_.keep.empty()) return Path(order_.keep);
    HONE_TRY(TemporaryFolder made, TemporaryFolder::create("verify"));
    return temporary_.emplace(std::move(made)).path() / "package";
  }

  // A package that cannot be had is not judged; one whose bytes are not the promised ones is.
  Status fetch(Destination& source, const std::string& version) {
    HONE_TRY(const Path into, folder());
    FetchOptions options;
    options.timeout = std::chrono::seconds(order_.timeout_s);
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
      watch_.step("fetching", done, total);
    };
    auto fetched = source.fetch(version, into, options);
    if (fetched) {
      package_ = *std::move(fetched);
      report_.reference = package_->reference;
      report_.digest = package_->digest;
      add("bytes", CheckVerdict::pass,
          counted(package_->files.size(), "file") + ", " + format_bytes(bytes_of(package_->files)) +
              ", each with its SHA-256");
      return done();
    }
    const Fault fault = fetched.error().fault;
    if (fault != Fault::runtime && fault != Fault::bad_input)
      return fail(std::move(fetched).error());
    add("bytes", CheckVerdict::fail, fetched.error());
    return done();
  }

  void read_evidence(Destination& source, const std::string& version) {
    const auto texts = source.evidence(version, package_->digest);
    if (!texts) return add("evidence", CheckVerdict::fail, texts.error());
    if (texts->empty()) return add("evidence", CheckVerdict::fail, "there is none");
    for (const std::string& text : *texts) {
      // All of it has to hold: nobody can tell which piece to believe.
      ++pieces_;
      suffix_ = texts->size() > 1 ? " " + std::to_string(pieces_) : "";
      check_evidence(text, version);
    }
    suffix_.clear();
  }

  void check_evidence(const std::string& text, const std::string& version) {
    const auto read = [&]() -> Result<CellEvidence> {
      HONE_TRY(const Json document, Json::parse(text));
      return from_document<CellEvidence>(document, evidence_schema_version);
    };
    auto evidence = read();
    if (!evidence) return add("evidence", CheckVerdict::fail, evidence.error());
    add("evidence", CheckVerdict::pass,
        format_bytes(text.size()) + " of " + std::string(name_of(evidence->mode)) + ", " +
            (evidence->noise_certificate ? "with" : "without") + " a noise certificate");
    for (VerifyCheck& check : check_cell(*evidence, *package_, version))
      add(check.name, check.verdict, std::move(check.measured));
    if (!evidence_) evidence_ = *std::move(evidence);
  }

  void run_models() {
    watch_.step("running");
    VerifyRuns runs(order_, *package_, evidence_ ? &*evidence_ : nullptr, watch_);
    for (VerifyCheck& check : runs.check())
      add(check.name, check.verdict, std::move(check.measured));
  }

  void add(const std::string& name, CheckVerdict verdict, std::string measured) {
    report_.checks.push_back({name + suffix_, verdict, std::move(measured)});
  }
  void add(const std::string& name, CheckVerdict verdict, const Error& error) {
    add(name, verdict, what_and_why(error));
  }

  const VerifyOrder& order_;
  const Watch& watch_;
  std::optional<TemporaryFolder> temporary_;
  std::optional<Fetched> package_;
  std::optional<CellEvidence> evidence_;  // the first
  std::size_t pieces_ = 0;
  std::string suffix_;  // of checks on one of several pieces of evidence
  VerifyReport report_;
};

}  // namespace

Result<Verified> verify_cell(const VerifyOrder& order, const Watch& watch) {
  if (!order.where.ep.empty()) HONE_TRY_DO(settle_where(order.where));
  return CellVerification(order, watch).run();
}

}  // namespace hone
