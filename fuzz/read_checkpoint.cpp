// A configuration and, behind a byte of zero, the header of a safetensors file, whose data is
// zeros: read as a checkpoint and written as graphs in each form. What is written can be
// serialized.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "checkpoint/export.h"
#include "checkpoint/safetensors.h"

namespace {

std::string file_with(std::string_view header) {
  std::string bytes;
  for (std::uint64_t length = header.size(), i = 0; i < 8; ++i, length >>= 8) {
    bytes += static_cast<char>(length & 0xff);
  }
  bytes += header;
  bytes.append(std::size_t{256} << 10, '\0');
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hone;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\0');
  const auto configuration = Json::parse(text.substr(0, end));
  if (!configuration || !configuration->as_object() || end == text.npos) return 0;
  const auto tensors =
      parse_safetensors(Blob::own(file_with(text.substr(end + 1))), "model.safetensors");
  if (!tensors) return 0;
  for (const auto& [form, opset] : {std::pair{GraphForm::standard, 17},
                                    {GraphForm::contrib, 18},
                                    {GraphForm::onnx_attention, 23}}) {
    const auto exported = export_tensors("checkpoint", *configuration, *tensors,
                                         {.task = {}, .net = {.opset = opset, .form = form}});
    if (!exported) continue;
    for (const ExportedGraph& graph : exported->graphs) {
      if (!serialize(graph.model)) std::abort();
    }
  }
  return 0;
}
