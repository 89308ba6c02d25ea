#pragma once
// The version a package is published under: valid SemVer whose pre-release part tells the cell,
// "0.0.0-20260609-qnn-npu-microsoft-resnet-50-image-classification".

#include <string>
#include <string_view>

namespace hone {

// As long as a registry's tag may be.
inline constexpr std::size_t longest_version = 128;

// Lowercase letters and digits; everything else is one '-' between them.
std::string slug(std::string_view text);

struct VersionParts {
  std::string run_stamp;
  std::string label;  // "qnn_npu"
  std::string model;  // "microsoft/resnet-50"
  std::string task{};
};
// A part with letters that a slug leaves out, and what is too long, is told by the start of its
// SHA-256. Names that differ in marks alone ("org/net", "org-net") still get one version: whoever
// plans a sweep refuses them.
std::string version_of(const VersionParts& parts);

// The same for a model of a catalog: a name for its folders.
std::string model_slug(const std::string& model, const std::string& task);

// What all versions of a run start with.
std::string version_prefix(std::string_view run_stamp);

}  // namespace hone
