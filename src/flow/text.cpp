#include "flow/text.h"

#include "base/file.h"
#include "model/text/text.h"

namespace hone {
namespace {

// Text is what people write: weights by the gigabyte are none.
constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

}  // namespace

Result<std::uint64_t> write_text_as_model(const TextOrder& order) {
  HONE_TRY(const std::string text, read_file(order.text, most_bytes));
  auto model = parse_text(text);
  if (!model) {
    return fail(Fault::bad_input, "'" + order.text + "' is no model in ONNX's text syntax",
                model.error().what, "docs/text.md; `hone text MODEL --all` prints one");
  }
  HONE_TRY(const SaveReport saved,
           save_model(*model, order.output, {.data_file = {}, .overwrite = order.overwrite}));
  return saved.model_bytes;
}

}  // namespace hone
