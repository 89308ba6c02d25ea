#pragma once
// What `hone inspect` says about a model.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"

namespace hone {

// An input or output of the graph.
struct ValueFacts {
  std::string name;
  std::string type;  // ONNX's own word: "float", "int64"
  // Per dimension its size, its symbol, or null when unknown. Null where there is no shape.
  std::optional<std::vector<Json>> shape;
};

template <RecordOf<ValueFacts> Self>
void for_each_field(Self& value, auto&& field) {
  field("name", value.name);
  field("type", value.type);
  field("shape", value.shape);
}

enum class QuantizedKind { activation, weight, bias };

constexpr auto enum_names(QuantizedKind) {
  return std::to_array<EnumName<QuantizedKind>>({{QuantizedKind::activation, "activation"},
                                                 {QuantizedKind::weight, "weight"},
                                                 {QuantizedKind::bias, "bias"}});
}

// One tensor that is stored or computed in a quantized type.
struct QuantizedTensor {
  std::string tensor;  // the float tensor's name
  std::string node;    // the node that quantizes or dequantizes it
  std::string op;      // "QuantizeLinear"
  Json scale;          // a number, or a list along `axis`
  Json zero_point;     // likewise
  std::string type;    // "uint8"
  std::optional<std::int64_t> axis;
  QuantizedKind kind = QuantizedKind::activation;
};

template <RecordOf<QuantizedTensor> Self>
void for_each_field(Self& tensor, auto&& field) {
  field("tensor", tensor.tensor);
  field("node", tensor.node);
  field("op", tensor.op);
  field("scale", tensor.scale);
  field("zero_point", tensor.zero_point);
  field("type", tensor.type);
  field("axis", tensor.axis);
  field("kind", tensor.kind);
}

struct ModelFacts {
  std::string path;
  std::uint64_t bytes = 0;  // the model file and its external data
  std::int64_t ir_version = 0;
  std::map<std::string, std::int64_t> opsets;  // by domain; ONNX's own is "ai.onnx"
  std::string producer;
  std::uint64_t nodes = 0;
  std::map<std::string, std::uint64_t> op_counts;
  std::uint64_t functions = 0;  // defined in the model
  // Elements of float and quantized weights; shapes, indices, scales and zero points do not count.
  std::uint64_t parameters = 0;
  std::map<std::string, std::uint64_t> weight_bytes;  // by element type
  std::uint64_t absent_weight_bytes = 0;              // of them, those whose data file is missing
  std::string precision;
  std::vector<ValueFacts> inputs;
  std::vector<ValueFacts> outputs;
  // By symbol ("?" for those without one) the places it stands: "input_ids[0]".
  std::map<std::string, std::vector<std::string>> dynamic_axes;
  std::string fingerprint;                         // structure; no weight byte is read
  std::optional<std::string> content_fingerprint;  // weight bytes too; only when asked for
  std::optional<std::vector<QuantizedTensor>> quantization;  // only when asked for
};

template <RecordOf<ModelFacts> Self>
void for_each_field(Self& model, auto&& field) {
  field("path", model.path);
  field("bytes", model.bytes);
  field("ir_version", model.ir_version);
  field("opsets", model.opsets);
  field("producer", model.producer);
  field("nodes", model.nodes);
  field("op_counts", model.op_counts);
  field("functions", model.functions);
  field("parameters", model.parameters);
  field("weight_bytes", model.weight_bytes);
  field("absent_weight_bytes", model.absent_weight_bytes);
  field("precision", model.precision);
  field("inputs", model.inputs);
  field("outputs", model.outputs);
  field("dynamic_axes", model.dynamic_axes);
  field("fingerprint", model.fingerprint);
  field("content_fingerprint", model.content_fingerprint, Presence::when_given);
  field("quantization", model.quantization, Presence::when_given);
}

}  // namespace hone
