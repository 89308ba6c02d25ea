// Any text at all, read as a model. What is read is printed; that must be read again and print the
// same.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/text/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hone;
  const auto model = parse_text({reinterpret_cast<const char*>(data), size});
  if (!model) return 0;
  const std::string text = print_text(*model, PrintOptions::everything());
  const auto again = parse_text(text);
  if (!again || print_text(*again, PrintOptions::everything()) != text) std::abort();
  print_text(*model);
  return 0;
}
