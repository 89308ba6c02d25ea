#include "flow/pull.h"

#include "catalog/new_folder.h"

namespace hone {

Result<Pulled> pull_package(const PullOrder& order, const PublisherSettings& place,
                            const Watch& watch) {
  HONE_TRY_DO(check_new_folder(order.output));
  HONE_TRY(const PackageReference package, parse_reference(order.reference));
  HONE_TRY(const auto source, open_destination(package.address, place));
  if (const Status ready = source->ready(Access::read); !ready)
    return Pulled{.fetched = {}, .refusal = ready.error()};
  FetchOptions options;
  options.files = order.files;
  options.timeout = std::chrono::seconds(order.timeout_s);
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    watch.step("fetching", done, total);
  };
  HONE_TRY(Fetched fetched, source->fetch(package.version, order.output, options));
  return Pulled{.fetched = std::move(fetched), .refusal = {}};
}

}  // namespace hone
