#pragma once
// What the classes of a model are called.

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "model/model.h"

namespace hone {

struct Labels {
  std::vector<std::string> names;  // by class; empty: this one has none
  std::string from;                // the file, or what of the model
};

// A line per class, or JSON: a list, {"0": "cat", ...}, or an object with such as `id2label`.
Result<Labels> read_labels(const Path& file);

// Those that come with a model: `id2label` of the config.json beside it (or above it, where the
// model is in a folder called onnx), or `names` in its metadata, as YOLO's exporter writes it. What
// cannot be read is none: nobody asked for it.
std::optional<Labels> find_labels(const Model& model, const Path& file);

// {0: 'person', 1: 'bicycle'}, as Python prints it.
std::optional<std::vector<std::string>> parse_python_names(std::string_view text);

}  // namespace hone
