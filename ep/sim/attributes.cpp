#include "ep/sim/attributes.h"

#include <algorithm>

namespace hone::ep::sim {
namespace {

Result<std::vector<const OrtOpAttr*>> attributes_of(const Ort& ort, const OrtNode* node) {
  return ask_all<const OrtOpAttr*>(ort, node, ort.api.Node_GetNumAttributes,
                                   ort.api.Node_GetAttributes);
}

Result<Owned<OrtOpAttr>> create(const Ort& ort, const char* name, const void* elements,
                                std::size_t count, int kind) {
  return make<OrtOpAttr>(ort, ort.api.ReleaseOpAttr, ort.api.CreateOpAttr, name, elements,
                         static_cast<int>(count), kind);
}

// The content of any attribute that is an array of T, or one T.
template <class T>
Result<std::vector<T>> read_elements(const Ort& ort, const OrtOpAttr* attribute, int kind) {
  // The first call asks for the size, which it answers together with an error.
  std::size_t bytes = 0;
  OrtStatus* too_small = ort.api.ReadOpAttr(attribute, kind, nullptr, 0, &bytes);
  if (too_small) ort.api.ReleaseStatus(too_small);
  std::vector<T> elements(bytes / sizeof(T));
  if (!elements.empty()) {
    HONE_TRY_DO(check(ort, ort.api.ReadOpAttr(attribute, kind, elements.data(), bytes, &bytes)));
  }
  return elements;
}

template <class T>
Result<Owned<OrtOpAttr>> copy_elements(const Ort& ort, const OrtOpAttr* attribute, const char* name,
                                       int kind) {
  HONE_TRY(const std::vector<T> elements, read_elements<T>(ort, attribute, kind));
  return create(ort, name, elements.data(), elements.size(), kind);
}

Result<Owned<OrtOpAttr>> copy_strings(const Ort& ort, const OrtOpAttr* attribute,
                                      const char* name) {
  // One after the other, each with a zero behind it.
  HONE_TRY(const std::vector<char> all, read_elements<char>(ort, attribute, attribute_strings));
  std::vector<const char*> strings;
  for (auto start = all.begin(); start != all.end();) {
    strings.push_back(&*start);
    start = std::next(std::find(start, all.end(), '\0'));
  }
  return create(ort, name, strings.data(), strings.size(), attribute_strings);
}

Result<Owned<OrtOpAttr>> copy_attribute(const Ort& ort, const OrtOpAttr* attribute) {
  HONE_TRY(const int kind, ask<int>(ort, ort.api.OpAttr_GetType, attribute));
  HONE_TRY(const char* name, ask<const char*>(ort, ort.api.OpAttr_GetName, attribute));
  switch (kind) {
    case attribute_int:
    case attribute_ints:
      return copy_elements<std::int64_t>(ort, attribute, name, kind);
    case attribute_float:
    case attribute_floats:
      return copy_elements<float>(ort, attribute, name, kind);
    case attribute_string:
      return copy_elements<char>(ort, attribute, name, kind);
    case attribute_strings:
      return copy_strings(ort, attribute, name);
    default:
      return fail(Fault::unsupported, "attribute '" + std::string(name) + "' has no copy");
  }
}

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> all;
  for (const std::string& name : names) all.push_back(name.c_str());
  return all;
}

}  // namespace

Result<std::vector<Owned<OrtOpAttr>>> copy_attributes(const Ort& ort, const OrtNode* node) {
  HONE_TRY(const auto attributes, attributes_of(ort, node));
  std::vector<Owned<OrtOpAttr>> copies;
  for (const OrtOpAttr* attribute : attributes) {
    HONE_TRY(Owned<OrtOpAttr> copy, copy_attribute(ort, attribute));
    copies.push_back(std::move(copy));
  }
  return copies;
}

Result<std::optional<std::string>> obstacle_to_copying(const Ort& ort, const OrtNode* node) {
  HONE_TRY(const auto attributes, attributes_of(ort, node));
  for (const OrtOpAttr* attribute : attributes) {
    HONE_TRY(const int kind, ask<int>(ort, ort.api.OpAttr_GetType, attribute));
    if (kind >= attribute_int && kind <= attribute_strings) continue;
    HONE_TRY(const char* name, ask<const char*>(ort, ort.api.OpAttr_GetName, attribute));
    return std::optional<std::string>(name);
  }
  return std::optional<std::string>();
}

Result<Owned<OrtOpAttr>> make_attribute(const Ort& ort, const char* name, const std::string& text) {
  return create(ort, name, text.data(), text.size(), attribute_string);
}

Result<Owned<OrtOpAttr>> make_attribute(const Ort& ort, const char* name, std::int64_t number) {
  return create(ort, name, &number, 1, attribute_int);
}

Result<Owned<OrtNode>> make_node(const Ort& ort, NodeParts parts) {
  const auto inputs = pointers(parts.inputs);
  const auto outputs = pointers(parts.outputs);
  std::vector<OrtOpAttr*> attributes;
  for (auto& attribute : parts.attributes) attributes.push_back(attribute.release());
  return make<OrtNode>(ort, ort.api.ReleaseNode, ort.editor.CreateNode, parts.op.c_str(),
                       parts.domain.c_str(), parts.name.c_str(), inputs.data(), inputs.size(),
                       outputs.data(), outputs.size(), attributes.data(), attributes.size());
}

}  // namespace hone::ep::sim
