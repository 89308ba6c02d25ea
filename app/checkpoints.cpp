#include "app/checkpoints.h"

#include "app/environment.h"
#include "app/progress.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "base/text.h"
#include "flow/export/hub_model.h"
#include "flow/parts/folder.h"

namespace hone::app {
namespace {

// As Python's tools read it.
bool is_set(const std::string& value) {
  const std::string word = lowercase(value);
  return word == "1" || word == "on" || word == "yes" || word == "true";
}

}  // namespace

Result<HubSettings> hub_settings() {
  HubSettings settings;
  const std::string home = first_of({"HF_HOME"});
  const std::string user = first_of({"XDG_CACHE_HOME"});
  const Path caches = user.empty() ? Path(environment("HOME")) / ".cache" : Path(user);
  settings.cache = (home.empty() ? caches / "huggingface" : Path(home)) / "hub";
  if (const std::string own = environment("HF_HUB_CACHE"); !own.empty()) settings.cache = own;
  if (settings.cache.is_relative()) {
    return fail(Fault::not_found, "there is no place for models of a hub",
                "neither HF_HUB_CACHE nor HF_HOME nor HOME is set to a folder from '/' on",
                "set HF_HUB_CACHE to a folder");
  }
  if (const std::string endpoint = environment("HF_ENDPOINT"); !endpoint.empty())
    settings.endpoint = endpoint;
  settings.token = environment("HF_TOKEN");
  settings.is_offline = is_set(environment("HF_HUB_OFFLINE"));
  settings.http = http_settings();
  return settings;
}

Status fetch_from_hub(std::string& model, const Call& call) {
  const auto id = hub_id_in(model);
  if (!id) return done();
  HONE_TRY(const HubSettings settings, hub_settings());
  Progress progress(call, "fetching " + text_of(*id));
  HubWatch watch;
  watch.progress = [&](std::uint64_t bytes, std::uint64_t total) { progress.update(bytes, total); };
  watch.note = [&](const std::string& note) { call.note(note); };
  HONE_TRY(model, fetch_hub_model(model, *id, settings, watch));
  return done();
}

Status settle_model(std::string& model, const Call& call) {
  HONE_TRY_DO(fetch_from_hub(model, call));
  if (!names_checkpoint(model)) return done();
  HONE_TRY(const Host host, this_host());
  StepProgress progress(call);
  HONE_TRY(const ModelFolder found,
           open_model_folder(taken_apart(model).folder, host, progress.watch()));
  progress.end();
  for (const std::string& note : found.notes) call.note(note);
  return done();
}

}  // namespace hone::app
