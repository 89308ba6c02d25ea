#include "measure/xrt_smi.h"

#include "base/json.h"
#include "base/process.h"
#include "base/system_files.h"

namespace hone {
namespace {

std::optional<std::int64_t> number_of(const Json* json) {
  if (json == nullptr) return std::nullopt;
  if (const std::string* text = json->as_string()) return parse_number<std::int64_t>(*text);
  const Result<std::int64_t> number = json->to_int();
  if (!number) return std::nullopt;
  return *number;
}

const Json::Array& elements(const Json* json) {
  static const Json::Array none;
  const Json::Array* array = json == nullptr ? nullptr : json->as_array();
  return array == nullptr ? none : *array;
}

void add_context(const Json& context, std::int64_t process, XrtCounts& counts) {
  if (number_of(context.find("pid")) != process) return;
  counts.submissions += number_of(context.find("command_submissions")).value_or(0);
  counts.completions += number_of(context.find("command_completions")).value_or(0);
  const Json* status = context.find("status");
  if (status != nullptr && status->as_string() != nullptr) counts.status = *status->as_string();
}

}  // namespace

Result<XrtCounts> parse_xrt_smi(std::string_view json, std::int64_t process) {
  HONE_TRY(const Json report, Json::parse(json));
  const Json* devices = report.find("devices");
  if (devices == nullptr || devices->as_array() == nullptr) {
    return fail(Fault::bad_input, "the report of xrt-smi lists no devices");
  }
  XrtCounts counts;
  for (const Json& device : *devices->as_array()) {
    const Json* report_of_device = device.find("aie_partitions");
    if (report_of_device == nullptr) continue;
    for (const Json& partition : elements(report_of_device->find("partitions"))) {
      for (const Json& context : elements(partition.find("hw_contexts"))) {
        add_context(context, process, counts);
      }
    }
  }
  return counts;
}

Result<XrtCounts> read_xrt_smi(const MonitorSettings& settings, const std::string& name,
                               std::int64_t process) {
  // The tool refuses a file that is there.
  const Path report = settings.folder / name;
  std::error_code ignored;
  std::filesystem::remove(report, ignored);
  ProcessOptions options;
  options.limits.time = settings.tool_limit;
  HONE_TRY(const ProcessEnd end, run_process({settings.xrt_smi, "examine", "-f", "JSON", "-o",
                                              report.string(), "-r", "aie-partitions"},
                                             options));
  if (!end.ok()) {
    return fail(Fault::runtime, "xrt-smi " + end.describe(),
                std::string(trimmed(end.standard_error)));
  }
  HONE_TRY(const std::string json, read_file(report));
  return parse_xrt_smi(json, process);
}

}  // namespace hone
