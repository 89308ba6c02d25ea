#pragma once
// Models that are named as they are on a hub, and those that are checkpoints: fetched and exported
// before the command begins, with a line that says so. Flows see folders, and find what was
// exported in the cache; a token for the hub goes no further than here.

#include <string>
#include <vector>

#include "app/call.h"
#include "base/result.h"
#include "checkpoint/hub.h"

namespace hone::app {

// HF_HUB_CACHE, else HF_HOME's hub/; HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE, and the way there
// (app/environment.h).
Result<HubSettings> hub_settings();

// "org/name[@revision]", with "#part" behind it for one of several models, where no such path is
// there: becomes the folder that it was fetched to.
Status fetch_from_hub(std::string& model, const Call& call);

// The same, and a checkpoint is exported. Where a model is taken, this is done first.
Status settle_model(std::string& model, const Call& call);

}  // namespace hone::app
