#include "report/publish/package_text.h"

#include "base/counted.h"
#include "base/text.h"
#include "report/table.h"

namespace hone {
namespace {

using text_form::Rows;
using text_form::table;

}  // namespace

std::string describe_fetched(const Fetched& fetched) {
  std::uint64_t bytes = 0;
  for (const PackageEntry& file : fetched.files) bytes += file.bytes;
  std::string text = printable(fetched.folder) + ": " + format_count(fetched.files.size()) +
                     (fetched.files.size() == 1 ? " file (" : " files (") + format_bytes(bytes) +
                     ") of " + printable(fetched.reference) + "\n";
  Rows rows;
  for (const PackageEntry& file : fetched.files)
    rows.push_back({file.path, format_bytes(file.bytes), file.sha256.substr(0, 12)});
  return text + table(rows, {.right = "1", .most_rows = 20});
}

std::string describe_package(const ModelPackage& package) {
  std::string text = printable(package.folder) + ": " +
                     counted(package.components.size(), "component") + ", " +
                     format_bytes(package.bytes);
  if (package.bytes < package.variant_bytes)
    text += " for variants of " + format_bytes(package.variant_bytes);
  text += "\n";
  Rows rows;
  for (const PackageComponent& component : package.components) {
    for (const PackageVariant& variant : component.variants) {
      const bool is_shared = variant.model_file.starts_with("sha256:");
      rows.push_back({component.name, variant.name, variant.ep, variant.device.value_or("any"),
                      is_shared ? "shared " + variant.model_file.substr(7, 12) : "its own"});
    }
  }
  text += table(rows);
  for (const std::string& note : package.notes) text += printable(note) + "\n";
  return text;
}

}  // namespace hone
