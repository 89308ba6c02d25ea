#pragma once
// What an operator of a trace is called, and of which type it is. Tracers know nodes under the
// names a runtime gave them; the model's own are what people look for.

#include <map>
#include <string>
#include <string_view>

#include "record/trace.h"

namespace hone {

// Node name -> op type of the model the EP ran. May be empty.
using NodeTypes = std::map<std::string, std::string, std::less<>>;

// "/layer/Conv_token_1_2" is "/layer/Conv": the runtime appends _token_N or _token_N_M to nodes it
// split or moved.
std::string strip_token_suffixes(std::string_view raw);

// Whether the runtime that wrote the name appends to it. ONNX Runtime itself does not, and a model
// may well have a "cls_token_1" of its own.
enum class TokenSuffix { may_be_there, is_the_models };

// Fills name, op_path, op_type and type_source from the raw name: the model's node, else the type
// the EP gave, else the last part of the path, else the raw name. No type is translated into
// another vocabulary: QNN's Conv2d stays Conv2d.
struct RawName {
  std::string_view text;
  std::string_view ep_type = {};  // empty where the tracer does not tell
  TokenSuffix token_suffix = TokenSuffix::may_be_there;
};
void name_operator(TraceOperator& op, const RawName& raw, const NodeTypes& node_types);

}  // namespace hone
