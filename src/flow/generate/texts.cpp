#include "flow/generate/texts.h"

#include "base/misuse.h"

namespace hone {

Result<Texts> Texts::open(SharedTokenizer tokenizer, const ChoiceRules& rules,
                          const std::vector<std::string>& stops, std::size_t rows) {
  Texts texts(rules);
  if (tokenizer == nullptr && !stops.empty())
    return misuse("a text cannot end what is written: there is no tokenizer", "--tokenizer FOLDER");
  if (tokenizer == nullptr) return texts;
  for (std::size_t i = 0; i < rows; ++i) {
    HONE_TRY(StopText stop, StopText::open(stops));
    texts.rows_.push_back({tokenize::DecodeStream(*tokenizer), std::move(stop)});
  }
  return texts;
}

std::string Texts::add(std::size_t row, std::int64_t token) {
  if (rows_.empty() || is_end(*rules_, token)) return {};
  Row& at = rows_[row];
  const std::string shown = at.stop.add(at.stream.step(static_cast<std::uint32_t>(token)));
  at.text += shown;
  return shown;
}

std::string Texts::finish(std::size_t row, GeneratedText& text) {
  if (rows_.empty()) return {};
  Row& at = rows_[row];
  std::string rest = at.stop.add(at.stream.finish());
  rest += at.stop.finish();
  at.text += rest;
  text.text = at.text;
  return rest;
}

}  // namespace hone
