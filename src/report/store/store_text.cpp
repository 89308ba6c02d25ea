#include "report/store/store_text.h"
#include "base/counted.h"

#include "base/text.h"
#include "report/trace/text.h"

namespace hone {
namespace {

using text_form::columns;
using text_form::Row;

constexpr std::size_t most_removed = 20;
constexpr std::size_t widest_owner = 60;
constexpr std::size_t any_width = 1000;

std::string blobs_text(std::uint64_t count, std::uint64_t bytes) {
  return counted(count, "blob") + ", " + format_bytes(bytes);
}

std::string savings_text(const StoreUsage& usage) {
  if (usage.files == 0) return "; nobody holds a file\n";
  const std::uint64_t held_bytes = usage.bytes - usage.unheld_bytes;
  std::string text = "; " + counted(usage.files, "file") + " of " +
                     counted(usage.owners.size(), "owner") + " would take " +
                     format_bytes(usage.referenced_bytes);
  if (held_bytes > 0) {
    const double ratio =
        static_cast<double>(usage.referenced_bytes) / static_cast<double>(held_bytes);
    text += ", " + text_form::fixed(ratio, 2) + " times what is held";
  }
  return text + "\n";
}

std::string owners_text(const std::vector<OwnerUsage>& owners) {
  if (owners.empty()) return {};
  std::vector<Row> rows = {{"owner", "files", "bytes", "own", "shared"}};
  for (const OwnerUsage& owner : owners) {
    rows.push_back({owner.owner, format_count(owner.files), format_bytes(owner.bytes),
                    format_bytes(owner.own_bytes), format_bytes(owner.shared_bytes)});
  }
  return columns(rows, widest_owner);
}

// Those that make a store unsound come first; returns how many these are.
std::size_t add_problems(const StoreCheck& check, std::vector<Row>& rows) {
  for (const DamagedBlob& blob : check.damaged) {
    rows.push_back({"damaged", blob.sha256, "its bytes have " + blob.found});
  }
  for (const MissingBlob& blob : check.missing) {
    rows.push_back({"missing", blob.sha256, "held by " + blob.owner + " as " + blob.path});
  }
  for (const UnreadableBlob& blob : check.unreadable) {
    rows.push_back({"unreadable", blob.sha256, blob.cause});
  }
  return rows.size();
}

void add_remarks(const StoreCheck& check, std::vector<Row>& rows) {
  for (const std::string& blob : check.writable) {
    rows.push_back({"writable", blob, "good, but not protected: chmod 444"});
  }
  for (const std::string& path : check.strangers) {
    rows.push_back({"no blob", path, "not one of ours, left alone"});
  }
}

// "1 hour", "90 seconds".
std::string time_text(std::uint64_t seconds) {
  if (seconds > 0 && seconds % 3600 == 0) return counted(seconds / 3600, "hour");
  if (seconds > 0 && seconds % 60 == 0) return counted(seconds / 60, "minute");
  return counted(seconds, "second");
}

std::string kept_text(const StoreCollection& collection) {
  std::vector<std::string> parts;
  if (collection.held_blobs > 0) {
    parts.push_back(counted(collection.held_blobs, "blob") + " that somebody holds");
  }
  if (collection.young_blobs > 0) {
    parts.push_back(counted(collection.young_blobs, "blob") + " used within " +
                    time_text(collection.grace_seconds));
  }
  return parts.empty() ? "" : "kept " + join(parts, " and ") + "\n";
}

}  // namespace

std::string describe_usage(const StoreUsage& usage) {
  std::string text = printable(usage.store) + ": " + blobs_text(usage.blobs, usage.bytes) +
                     savings_text(usage) + owners_text(usage.owners);
  if (usage.unheld_blobs > 0) {
    text +=
        "nobody holds " + blobs_text(usage.unheld_blobs, usage.unheld_bytes) + ": hone store gc\n";
  }
  return text;
}

std::string describe_check(const StoreCheck& check) {
  std::vector<Row> rows;
  const std::size_t problems = add_problems(check, rows);
  add_remarks(check, rows);
  std::string text = printable(check.store) + ": " + blobs_text(check.blobs, check.bytes);
  text += problems == 0 ? ", all what their names say\n" : "\n";
  text += columns(rows, any_width, "12");
  if (problems == 0) return text;
  return text + counted(problems, "problem") +
         "; nothing was changed. Building and storing the same bytes again mends a blob.\n";
}

std::string describe_collection(const StoreCollection& collection) {
  const std::string removed = collection.is_dry_run ? "would remove " : "removed ";
  std::string text = removed + counted(collection.removed.size(), "blob") + ", " +
                     format_bytes(collection.freed_bytes) + " freed\n";
  std::vector<Row> rows;
  for (const RemovedBlob& blob : collection.removed) {
    if (rows.size() == most_removed) break;
    rows.push_back({blob.sha256, format_bytes(blob.bytes),
                    blob.is_freed ? "" : "a file elsewhere still has them"});
  }
  text += columns(rows, any_width, "2");
  if (collection.removed.size() > most_removed) {
    text += "  ... and " + format_count(collection.removed.size() - most_removed) + " more\n";
  }
  if (collection.temporary_files > 0) {
    text += removed + counted(collection.temporary_files, "temporary file") + ", " +
            format_bytes(collection.temporary_bytes) + "\n";
  }
  return text + kept_text(collection);
}

}  // namespace hone
