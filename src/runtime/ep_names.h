#pragma once
// The short names people type for EPs, and the names ONNX Runtime knows them by (kinds/ep.h has
// the table).

#include <string>
#include <string_view>

namespace hone {

// "qnn" -> "QNNExecutionProvider"; a name that is not in the table is an EP's own and comes back as
// it is.
std::string ep_own_name(std::string_view short_name);
// "QNNExecutionProvider" -> "qnn", "ov" -> "openvino"; an EP that is not in the table keeps its own
// name.
std::string ep_short_name(std::string_view own_name);
// What SessionOptionsAppendExecutionProvider calls it, for built-in EPs that offer no devices;
// empty when it takes none.
std::string ep_append_name(std::string_view short_name);

}  // namespace hone
