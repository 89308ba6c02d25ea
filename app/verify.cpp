#include "app/verify.h"

#include <algorithm>

#include "app/errors.h"
#include "app/progress.h"
#include "app/publishing.h"
#include "app/table.h"
#include "app/verify_runs.h"
#include "base/counted.h"
#include "base/text.h"
#include "catalog/cell_checks.h"
#include "catalog/choose.h"
#include "catalog/new_folder.h"

namespace hone::app {
namespace {

class Verification {
 public:
  Verification(const VerifyArguments& arguments, const Call& call)
      : arguments_(arguments), call_(call) {}

  Result<ExitCode> run() {
    if (!arguments_.keep.empty()) HONE_TRY_DO(check_new_folder(arguments_.keep));
    HONE_TRY(const PackageReference package, parse_reference(arguments_.reference));
    HONE_TRY(const auto source, open_destination(package.address, publisher_settings()));
    if (const Status ready = source->ready(Access::read); !ready) {
      report(ready.error(), call_.settings());
      return ExitCode::refused;
    }
    report_.reference = arguments_.reference;
    HONE_TRY_DO(fetch(*source, package.version));
    if (package_) {
      read_evidence(*source, package.version);
      run_models();
    }
    return answer();
  }

 private:
  Result<Path> folder() {
    if (!arguments_.keep.empty()) return Path(arguments_.keep);
    HONE_TRY(TemporaryFolder made, TemporaryFolder::create("verify"));
    return temporary_.emplace(std::move(made)).path() / "package";
  }

  // A package that cannot be had is not judged; one whose bytes are not the promised ones is.
  Status fetch(Destination& source, const std::string& version) {
    HONE_TRY(const Path into, folder());
    Progress progress(call_, "fetching");
    FetchOptions options;
    options.timeout = std::chrono::seconds(arguments_.timeout_s);
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
      progress.update(done, total);
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
    Progress progress(call_, "verifying");
    progress.step("running");
    VerifyRuns runs(arguments_, *package_, evidence_ ? &*evidence_ : nullptr);
    for (VerifyCheck& check : runs.check())
      add(check.name, check.verdict, std::move(check.measured));
  }

  void add(const std::string& name, CheckVerdict verdict, std::string measured) {
    report_.checks.push_back({name + suffix_, verdict, std::move(measured)});
  }
  void add(const std::string& name, CheckVerdict verdict, const Error& error) {
    add(name, verdict, error.cause.empty() ? error.what : error.what + ": " + error.cause);
  }

  Result<ExitCode> answer() {
    const auto is_wrong = [this](const VerifyCheck& check) {
      const bool is_let_pass = check.verdict == CheckVerdict::blocked && !arguments_.is_strict;
      return check.verdict != CheckVerdict::pass && !is_let_pass;
    };
    const auto wrong = std::ranges::count_if(report_.checks, is_wrong);
    report_.holds = wrong == 0;
    std::string text = printable(report_.reference) + "\n";
    Rows rows;
    for (const VerifyCheck& check : report_.checks)
      rows.push_back({check.name, std::string(name_of(check.verdict)), check.measured});
    text += table(rows) + describe_end(static_cast<std::uint64_t>(wrong));
    HONE_TRY_DO(call_.answer(to_document(report_, verify_schema_version), text));
    return report_.holds ? ExitCode::done : ExitCode::not_held;
  }

  std::string describe_end(std::uint64_t wrong) const {
    const auto blocked = static_cast<std::uint64_t>(
        std::ranges::count(report_.checks, CheckVerdict::blocked, &VerifyCheck::verdict));
    if (wrong > 0) return counted(wrong, "check") + " did not hold\n";
    if (blocked > 0)
      return "holds, as far as this machine can tell: " + counted(blocked, "check") + " blocked\n";
    return "holds\n";
  }

  const VerifyArguments& arguments_;
  const Call& call_;
  std::optional<TemporaryFolder> temporary_;
  std::optional<Fetched> package_;
  std::optional<CellEvidence> evidence_;  // the first
  std::size_t pieces_ = 0;
  std::string suffix_;  // of checks on one of several pieces of evidence
  VerifyReport report_;
};

}  // namespace

Result<ExitCode> run_verify(const VerifyArguments& arguments, const Call& call) {
  return Verification(arguments, call).run();
}

}  // namespace hone::app
