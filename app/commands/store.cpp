// The content store: what it holds, whether it is sound, and what may go.

#include "flow/store.h"

#include <array>

#include "app/actions.h"
#include "app/progress.h"
#include "app/where.h"
#include "report/store/store_text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string action;
  std::string folder;
  std::int64_t grace_seconds = 3600;
  bool is_dry_run = false;
};

Result<Path> folder_of(const Arguments& arguments) {
  if (!arguments.folder.empty()) return Path(arguments.folder);
  HONE_TRY(const Path cache, cache_folder());
  return cache / "store";
}

Result<ExitCode> du(const Arguments& arguments, const Call& call) {
  HONE_TRY(const Path folder, folder_of(arguments));
  HONE_TRY(const StoreUsage usage, measure_store(folder));
  HONE_TRY_DO(call.answer(to_document(usage, store_schema_version), describe_usage(usage)));
  return ExitCode::done;
}

Result<StoreCheck> check(const Path& folder, const Call& call) {
  Progress progress(call, "reading blobs");
  return check_store(folder, progress.watch());
}

Result<ExitCode> verify(const Arguments& arguments, const Call& call) {
  HONE_TRY(const Path folder, folder_of(arguments));
  HONE_TRY(const StoreCheck found, check(folder, call));
  HONE_TRY_DO(call.answer(to_document(found, store_schema_version), describe_check(found)));
  return found.is_sound() ? ExitCode::done : ExitCode::not_held;
}

Result<ExitCode> gc(const Arguments& arguments, const Call& call) {
  HONE_TRY(const Path folder, folder_of(arguments));
  HONE_TRY(const StoreCollection collection,
           clean_store(folder, {.grace = std::chrono::seconds(arguments.grace_seconds),
                                .is_dry_run = arguments.is_dry_run}));
  HONE_TRY_DO(
      call.answer(to_document(collection, store_schema_version), describe_collection(collection)));
  return ExitCode::done;
}

constexpr std::array<Action<Arguments>, 3> actions = {
    {{{.name = "du"}, du}, {{.name = "verify"}, verify}, {{.name = "gc"}, gc}}};

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY(const auto* action, find_action("store", actions, arguments.action, {}));
  return action->run(arguments, call);
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.positional("ACTION", arguments->action, "du, verify or gc");
  options.text("--store FOLDER", arguments->folder,
               "the store; else store in the cache folder ($HONE_CACHE)");
  options.integer("--grace SECONDS", arguments->grace_seconds,
                  "gc: keep what was used within this time (3600)", Need::optional,
                  {.least = 0, .most = std::int64_t{10} * 365 * 24 * 3600});
  options.flag("--dry-run", arguments->is_dry_run, "gc: say what would go, and remove nothing");
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command store() {
  return {.name = "store",
          .group = "build",
          .summary = "Show, check and clean the store that keeps each file once",
          .help =
              "The content store keeps the files of many packages by the SHA-256 of their\n"
              "bytes, each once, and who holds them. du: how much that is, and whose. verify:\n"
              "read every blob; exit 3 when one is damaged, missing or cannot be read; nothing\n"
              "is changed. gc: remove what nobody holds and nobody used for an hour, and what\n"
              "killed processes left.",
          .examples =
              "hone store du\n"
              "hone store verify --store /data/store --format json\n"
              "hone store gc --dry-run",
          .declare = declare};
}

}  // namespace hone::app::commands
