#pragma once
// A published package, or single files of it, with every digest checked.

#include <optional>
#include <string>
#include <vector>

#include "catalog/publisher.h"
#include "flow/watch.h"

namespace hone {

struct PullOrder {
  std::string reference;           // oci://HOST/REPOSITORY:VERSION, ...
  std::vector<std::string> files;  // of the package; empty: all
  std::string output;              // a folder that is not there yet
  std::int64_t timeout_s = 3600;
};

// What was fetched, or why the place did not let us in.
struct Pulled {
  Fetched fetched;
  std::optional<Error> refusal;
};

// `place` says whom to trust and who we are.
Result<Pulled> pull_package(const PullOrder& order, const PublisherSettings& place,
                            const Watch& watch);

}  // namespace hone
