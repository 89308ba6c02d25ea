#include "transform/quantize/overrides.h"

#include <cmath>

#include "base/misuse.h"
#include "record/fields.h"

namespace hone {
namespace {

// An entry as it is written.
struct Entry {
  std::optional<std::string> quant_type;
  std::optional<std::int64_t> axis;
  Json scale;
  Json zero_point;
  std::optional<double> rmin;
  std::optional<double> rmax;
  std::optional<bool> symmetric;
  std::optional<bool> reduce_range;
};

template <RecordOf<Entry> Self>
void for_each_field(Self& entry, auto&& field) {
  field("quant_type", entry.quant_type);
  field("axis", entry.axis);
  field("scale", entry.scale);
  field("zero_point", entry.zero_point);
  field("rmin", entry.rmin);
  field("rmax", entry.rmax);
  field("symmetric", entry.symmetric);
  field("reduce_range", entry.reduce_range);
}

struct File {
  std::map<std::string, Entry> tensors;
  std::vector<std::string> float_nodes;
};

template <RecordOf<File> Self>
void for_each_field(Self& file, auto&& field) {
  field("tensors", file.tensors);
  field("float_nodes", file.float_nodes);
}

Json::Array as_list(const Json& number_or_list) {
  if (number_or_list.is_null()) return {};
  const Json::Array* list = number_or_list.as_array();
  return list != nullptr ? *list : Json::Array{number_or_list};
}

Result<std::vector<Scale>> read_scales(const Entry& entry) {
  const Json::Array scales = as_list(entry.scale);
  const Json::Array zero_points = as_list(entry.zero_point);
  if (scales.size() != zero_points.size()) {
    return fail(Fault::bad_input,
                "scale and zero_point go together, as many of the one as of the other");
  }
  std::vector<Scale> pairs;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    HONE_TRY(const double scale, scales[i].to_double());
    HONE_TRY(const std::int64_t zero_point, zero_points[i].to_int());
    if (!(scale > 0) || !std::isfinite(static_cast<float>(scale))) {
      return fail(Fault::bad_input, "a scale is a number above 0, not " + scales[i].dump(-1));
    }
    if (zero_point < -32768 || zero_point > 65535) {
      return fail(Fault::bad_input, std::to_string(zero_point) + " is no zero point");
    }
    pairs.push_back({static_cast<float>(scale), static_cast<std::int32_t>(zero_point)});
  }
  return pairs;
}

Result<std::optional<RealRange>> read_range(const Entry& entry) {
  if (!entry.rmin && !entry.rmax) return std::optional<RealRange>();
  if (!entry.rmin || !entry.rmax) return fail(Fault::bad_input, "rmin and rmax go together");
  const RealRange range{static_cast<float>(*entry.rmin), static_cast<float>(*entry.rmax)};
  if (!std::isfinite(range.low) || !std::isfinite(range.high) || range.low > range.high) {
    return fail(Fault::bad_input, "rmin is above rmax, or one of them does not fit a float");
  }
  return std::optional(range);
}

Result<std::optional<ElementType>> read_type(const Entry& entry) {
  if (!entry.quant_type) return std::optional<ElementType>();
  const auto type = element_type_named(*entry.quant_type);
  if (!type || !is_quantized_type(*type) || bits_of(*type) < 8) {
    return misuse("'" + *entry.quant_type + "' is no quant_type",
                  "it is one of uint8, int8, uint16, int16");
  }
  return type;
}

Result<TensorOverride> read_entry(const Entry& entry) {
  TensorOverride made;
  HONE_TRY(made.type, read_type(entry));
  HONE_TRY(made.scales, read_scales(entry));
  HONE_TRY(made.range, read_range(entry));
  made.axis = entry.axis;
  made.symmetric = entry.symmetric;
  made.reduced_range = entry.reduce_range;
  const bool has_rules = made.range || made.symmetric || made.reduced_range;
  if (!made.scales.empty() && has_rules) {
    return fail(Fault::bad_input,
                "with scale, nothing is left for rmin, rmax, symmetric and reduce_range to decide");
  }
  if (made.scales.size() > 1 && !made.axis) {
    return fail(Fault::bad_input, "several scales need the axis they stand along");
  }
  return made;
}

Failure in_file(const Path& file, Error error, const std::string& tensor = {}) {
  error.cause = tensor.empty() ? error.what : "tensor '" + tensor + "': " + error.what;
  error.what = "cannot use the overrides in '" + file.string() + "'";
  error.fault = Fault::bad_input;
  return fail(std::move(error));
}

}  // namespace

Result<Overrides> read_overrides(const Path& file) {
  HONE_TRY(const std::string text, read_file(file));
  auto json = Json::parse(text);
  if (!json) return in_file(file, std::move(json).error());
  auto read = from_json<File>(*json);
  if (!read) return in_file(file, std::move(read).error());
  Overrides overrides;
  overrides.float_nodes = std::move(read->float_nodes);
  for (const auto& [tensor, entry] : read->tensors) {
    auto made = read_entry(entry);
    if (!made) return in_file(file, std::move(made).error(), tensor);
    overrides.tensors.emplace(tensor, *std::move(made));
  }
  return overrides;
}

}  // namespace hone
