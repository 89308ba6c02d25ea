#include "catalog/publisher.h"

#include <algorithm>
#include <set>

#include "base/misuse.h"
#include "base/text.h"
#include "catalog/package_version.h"

namespace hone {
namespace {

constexpr std::size_t told_lines = 12;
constexpr std::size_t longest_path = 1024;

std::vector<std::string> schemes() {
  std::vector<std::string> names;
  for (const Publisher& publisher : all_publishers()) names.emplace_back(publisher.scheme);
  return names;
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Status check_file(const PackageFile& file) {
  HONE_TRY_DO(check_package_path(file.path));
  if (!is_sha256(file.sha256))
    return fail(Fault::bad_input, "'" + file.path + "' has no digest", "'" + file.sha256 + "'");
  HONE_TRY(const std::uint64_t bytes, size_of_file(file.local));
  if (bytes != file.bytes) {
    return fail(
        Fault::bad_input, "'" + file.local.string() + "' is not what was built",
        "it has " + std::to_string(bytes) + " bytes instead of " + std::to_string(file.bytes));
  }
  return done();
}

// A path that is there twice, or a file where another needs a folder.
Status check_together(const std::vector<PackageFile>& files) {
  std::set<std::string> paths;
  for (const PackageFile& file : files) {
    if (!paths.insert(file.path).second)
      return fail(Fault::bad_input, "the package has two files '" + file.path + "'");
  }
  for (const std::string& path : paths) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      if (paths.contains(path.substr(0, slash)))
        return fail(Fault::bad_input, "'" + path.substr(0, slash) + "' is a file and a folder");
    }
  }
  return done();
}

}  // namespace

std::string publisher_forms(std::string_view suffix) {
  std::vector<std::string> all;
  for (const Publisher& publisher : all_publishers())
    all.push_back(std::string(publisher.form) + std::string(suffix));
  return join(all, ", ");
}

Result<PlaceOfPublisher> find_publisher(std::string_view address) {
  const std::size_t colon = address.find("://");
  const std::string scheme(address.substr(0, colon));
  if (colon == std::string_view::npos) {
    return fail(Fault::bad_input, "'" + std::string(address) + "' is no place to publish to", {},
                "one of " + publisher_forms());
  }
  for (const Publisher& publisher : all_publishers()) {
    if (publisher.scheme == scheme) return PlaceOfPublisher{&publisher, address.substr(colon + 3)};
  }
  const std::string meant = nearest(scheme, schemes());
  return fail(Fault::bad_input,
              "there is no publisher '" + scheme + "'" +
                  (meant.empty() ? "" : "; did you mean '" + meant + "'?"),
              {}, "one of " + publisher_forms());
}

Result<std::unique_ptr<Destination>> open_destination(std::string_view address,
                                                      const PublisherSettings& settings) {
  HONE_TRY(const PlaceOfPublisher found, find_publisher(address));
  return found.publisher->open(found.place, settings);
}

Result<PackageReference> parse_reference(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  const std::size_t from = slash == std::string_view::npos ? 0 : slash;
  const std::size_t at = text.find('@', from);
  const std::size_t colon = at != std::string_view::npos ? at : text.find(':', from);
  const bool is_whole = text.find("://") != std::string_view::npos &&
                        colon != std::string_view::npos && colon + 1 < text.size();
  if (!is_whole) {
    return misuse("'" + std::string(text) + "' names no package",
                  "the address of a place and a version: oci://HOST/REPOSITORY:VERSION");
  }
  return PackageReference{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

bool is_version(std::string_view version) {
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return !version.empty() && version.size() <= longest_version && is_plain(version.front()) &&
         std::ranges::all_of(version, [&](char c) {
           return is_plain(c) || c == '.' || c == '-' || c == '_' || c == '+';
         });
}

Status check_package_path(std::string_view path) {
  const auto refused = [&](std::string why) {
    return fail(Fault::bad_input, "'" + printable(path) + "' is no path for a package",
                std::move(why));
  };
  if (path.empty() || path.size() > longest_path) return refused("it is empty or too long");
  if (path.find('\\') != std::string_view::npos || to_utf8(path) != path ||
      std::ranges::any_of(path, [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; }))
    return refused("it has characters that not every system takes");
  for (const std::string& part : split(path, '/')) {
    if (part.empty() || part == "." || part == "..") return refused("it leaves the package");
  }
  return done();
}

Status check_package(const Package& package) {
  if (!is_version(package.version))
    return fail(Fault::bad_input, "'" + package.version + "' is no version");
  if (package.files.empty()) return fail(Fault::bad_input, "the package is empty");
  for (const PackageFile& file : package.files) HONE_TRY_DO(check_file(file));
  if (package.evidence) HONE_TRY_DO(check_file(*package.evidence));
  return check_together(package.files);
}

std::string last_lines(std::string_view text) {
  std::vector<std::string> lines = split(text, '\n');
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  const std::size_t dropped = lines.size() - std::min(lines.size(), told_lines);
  return join(std::span(lines).subspan(dropped), "\n");
}

std::string told(const Error& error) {
  std::string text = error.what;
  if (!error.cause.empty()) text += "\n" + error.cause;
  if (!error.hint.empty()) text += "\ntry: " + error.hint;
  return last_lines(text);
}

}  // namespace hone
