#pragma once
// A model by its name on a hub, where a path may stand.

#include <optional>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "checkpoint/hub.h"

namespace hone {

// What it names on a hub: "org/name[@revision]", with "#part" behind it for one of several models.
// Nothing where it is a path: one that is there, one whose first folder is, or a model's file.
// Paths are taken from `folder`; empty: from where we are.
std::optional<HubId> hub_id_in(const std::string& model, const Path& folder = {});

// The folder it was fetched to, and the part that was named. REQUIRES: hub_id_in(model) is `id`.
Result<std::string> fetch_hub_model(const std::string& model, const HubId& id,
                                    const HubSettings& settings, const HubWatch& watch);

}  // namespace hone
