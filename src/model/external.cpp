// External data: tensors whose bytes are in files beside the model. The model file is not trusted
// to say where.

#include <map>

#include "base/text.h"
#include "model/read.h"

namespace hone::reading {
namespace {

Status check_range(const Tensor& tensor, std::uint64_t file_bytes) {
  const ExternalData& external = *tensor.external;
  std::uint64_t end = 0;
  if (!__builtin_add_overflow(external.offset, external.length, &end) && end <= file_bytes)
    return done();
  return fail(Fault::bad_input,
              "tensor '" + printable(tensor.name) + "' wants bytes " +
                  std::to_string(external.offset) + " to " + std::to_string(external.offset) +
                  " + " + std::to_string(external.length) + " of '" + printable(external.location) +
                  "', which has " + std::to_string(file_bytes) + " bytes",
              {}, "the data file does not belong to this model or was cut short: fetch both again");
}

}  // namespace

Status attach_external_data(Context& context, const Path& folder) {
  std::map<std::string, std::optional<Blob>> files;  // nothing: the file is not there
  for (const auto& tensor : context.external) {
    const std::string& location = tensor->external->location;
    auto known = files.find(location);
    if (known == files.end()) {
      auto mapped = map_file_inside(folder, location);
      if (!mapped && mapped.error().fault != Fault::not_found)
        return fail(std::move(mapped).error());
      std::optional<Blob> file;
      if (mapped) file = std::move(mapped).value();
      known = files.emplace(location, std::move(file)).first;
    }
    if (!known->second) continue;
    HONE_TRY_DO(check_range(*tensor, known->second->size()));
    tensor->dense = known->second->slice(tensor->external->offset, tensor->external->length);
    tensor->absent = false;
  }
  return done();
}

}  // namespace hone::reading
