#include "transform/capability.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "kinds/ep.h"

namespace hone {
namespace {

// Our passes under their own names, or joined to ONNX Runtime's optimizer of the same name.
std::vector<Capability> with_passes(std::vector<Capability> all) {
  for (const Pass& pass : all_passes()) {
    const auto same = std::ranges::find(all, pass.name, &Capability::name);
    if (same != all.end()) {
      same->pass = &pass;
      if (pass.detection) same->detection = pass.detection;
      continue;
    }
    all.push_back({.name = pass.name,
                   .category = pass.category,
                   .summary = pass.summary,
                   .depends_on = pass.depends_on,
                   .pass = &pass,
                   .detection = pass.detection});
  }
  return all;
}

std::string kebab(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', '-');
  return text;
}

}  // namespace

std::span<const Capability> all_capabilities() {
  static const std::vector<Capability> all = with_passes(ort_capabilities());
  return all;
}

Result<const Capability*> find_capability(std::string_view name) {
  const std::string wanted = kebab(name);
  std::vector<std::string> names;
  for (const Capability& capability : all_capabilities()) {
    if (capability.name == wanted) return &capability;
    names.emplace_back(capability.name);
  }
  const std::string near = nearest(wanted, names);
  return fail(Fault::bad_input, "there is no capability '" + std::string(name) + "'", {},
              near.empty() ? "`hone optimize --list-capabilities` lists them"
                           : "did you mean '" + near + "'?");
}

std::string json_name(const Capability& capability) {
  std::string text(capability.name);
  std::ranges::replace(text, '-', '_');
  return text;
}

std::string limit_of(const Capability& capability) {
  std::vector<std::string> titles;
  for (const std::string_view ep : capability.only_on) titles.emplace_back(find_ep(ep)->title);
  return join(titles, " and ");
}

std::string_view source_of(const Capability& capability) {
  if (capability.level == 0) return "hone";
  return capability.pass == nullptr ? "onnxruntime" : "onnxruntime and hone";
}

CapabilitySet default_capabilities() {
  return {find_capability("constant-folding").value(), find_capability("conv-bn-fusion").value()};
}

CapabilitySet closure_of(CapabilitySet capabilities) {
  std::vector<const Capability*> open(capabilities.begin(), capabilities.end());
  while (!open.empty()) {
    const Capability* next = open.back();
    open.pop_back();
    for (const std::string_view name : next->depends_on) {
      const Capability* needed = find_capability(name).value();
      if (capabilities.insert(needed).second) open.push_back(needed);
    }
  }
  return capabilities;
}

std::span<const std::string_view> optimizers_kept_off() {
  static constexpr std::array<std::string_view, 2> off = {"AttentionFusion",
                                                          "EmbedLayerNormFusion"};
  return off;
}

}  // namespace hone
