#include "flow/text.h"

#include "base/file.h"
#include "flow/given_model.h"
#include "model/text/text.h"

namespace hone {
namespace {

// Text is what people write: weights by the gigabyte are none.
constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

}  // namespace

Result<std::string> text_of_model(const std::string& given, bool is_whole, const Host& host) {
  HONE_TRY(const Path file, find_model_file(given, host));
  HONE_TRY(const Model model, load_model(file));
  return print_text(model, is_whole ? PrintOptions::everything() : PrintOptions());
}

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
