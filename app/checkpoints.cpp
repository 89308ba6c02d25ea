#include "app/checkpoints.h"

#include "app/environment.h"
#include "app/progress.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "base/text.h"
#include "flow/given_model.h"

namespace hone::app {
namespace {

bool is_there(const Path& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

// A path that is not there is one all the same where its first folder is, or where it names a file
// of a model: nobody is asked for those.
bool may_be_on_hub(const std::string& model) {
  const std::string name = model.substr(0, model.find('@'));
  const Path path(name);
  const bool is_file = path.extension() == ".onnx" || path.extension() == ".safetensors";
  const bool is_named = name.find('/') != std::string::npos || name != model;
  return is_named && !is_file && !name.starts_with('.') && !is_there(model) &&
         !is_there(*path.begin());
}

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
  const std::size_t mark = model.rfind('#');
  const std::string part = mark == std::string::npos ? "" : model.substr(mark);
  const std::string name = model.substr(0, mark);
  if (is_there(model) || !may_be_on_hub(name)) return done();
  const auto id = parse_hub_id(name);
  if (!id) return done();  // a path that is not there: whoever opens it says so
  HONE_TRY(const HubSettings settings, hub_settings());
  Progress progress(call, "fetching " + text_of(*id));
  HubWatch watch;
  watch.progress = [&](std::uint64_t bytes, std::uint64_t total) { progress.update(bytes, total); };
  watch.note = [&](const std::string& note) { call.note(note); };
  HONE_TRY(const Path folder, fetch_checkpoint(*id, settings, watch));
  model = folder.string() + part;
  return done();
}

Status export_checkpoint_of(const std::string& model, const Call& call) {
  if (!names_checkpoint(model)) return done();
  HONE_TRY(const Host host, this_host());
  StepProgress progress(call);
  HONE_TRY(const FoundModel found, find_given(model, host, progress.watch()));
  progress.end();
  for (const std::string& note : found.notes) call.note(note);
  return done();
}

}  // namespace hone::app
