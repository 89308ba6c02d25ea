#include "tokenize/aligned.h"

#include <algorithm>

namespace hone::tokenize {

void Aligned::start(std::string_view section, std::uint32_t base, bool tracked) {
  text_ = section;
  base_ = base;
  is_same_ = true;
  tracked_ = tracked;
  from_.clear();
}

Span Aligned::at(std::size_t byte) const {
  if (!is_same_) return from_[byte];
  std::size_t begin = byte;
  while (begin > 0 && is_continuation(text_[begin])) --begin;
  const auto start = static_cast<std::uint32_t>(base_ + begin);
  return {start, start + static_cast<std::uint32_t>(length_from(text_[begin]))};
}

Span Aligned::origin(std::size_t begin, std::size_t end) const {
  if (!tracked_) return {};
  return {at(begin).begin, at(end - 1).end};
}

void Aligned::own(std::string text, std::vector<Span> from) {
  owned_ = std::move(text);
  text_ = owned_;
  from_ = std::move(from);
  is_same_ = !tracked_;
}

void Aligned::push(std::string& text, std::vector<Span>& from, char32_t code, Span origin) const {
  const std::size_t length = append(text, code);
  if (tracked_) from.insert(from.end(), length, origin);
}

void Aligned::replace_same_length(std::string text) {
  owned_ = std::move(text);
  text_ = owned_;
}

void Aligned::prepend(std::string_view text) {
  std::vector<Span> from;
  if (tracked_) {
    from.reserve(text_.size() + text.size());
    from.assign(text.size(), at(0));
    for (std::size_t i = 0; i < text_.size(); ++i) from.push_back(at(i));
  }
  std::string all;
  all.reserve(text.size() + text_.size());
  all.append(text).append(text_);
  own(std::move(all), std::move(from));
}

void Aligned::keep(std::size_t begin, std::size_t end) {
  if (begin == 0 && end == text_.size()) return;
  if (is_same_) {
    text_ = text_.substr(begin, end - begin);
    base_ += static_cast<std::uint32_t>(begin);
    return;
  }
  const auto first = from_.begin();
  own(std::string(text_.substr(begin, end - begin)),
      {first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end)});
}

void Aligned::replace(std::span<const Part> parts, std::string_view content) {
  std::string text;
  std::vector<Span> from;
  text.reserve(text_.size() + 16);
  if (tracked_) from.reserve(text_.size() + 16);
  for (const Part& part : parts) {
    if (part.is_match) {
      text += content;
      if (!tracked_) continue;
      const Span origin = part.end > 0 ? at(part.end - 1) : Span{base_, base_};
      from.insert(from.end(), content.size(), origin);
      continue;
    }
    text += text_.substr(part.begin, part.end - part.begin);
    for (std::size_t i = part.begin; tracked_ && i < part.end; ++i) from.push_back(at(i));
  }
  own(std::move(text), std::move(from));
}

void Aligned::build(bool tracked) {
  owned_.clear();
  from_.clear();
  base_ = 0;
  tracked_ = tracked;
  is_same_ = !tracked;
}

void Aligned::put(const Aligned& other, std::size_t at, std::size_t length) {
  owned_.append(other.text_.substr(at, length));
  if (!tracked_) return;
  for (std::size_t i = at; i < at + length; ++i) from_.push_back(other.at(i));
}

void Aligned::transform(std::span<const Change> changes) {
  std::string text;
  std::vector<Span> from;
  text.reserve(text_.size());
  std::size_t offset = 0;
  // A text that begins with what comes from nowhere keeps that, as the published library does.
  if (tracked_ && !is_same_) {
    while (offset < from_.size() && from_[offset].begin == from_[offset].end) ++offset;
    text = std::string(text_.substr(0, offset));
    from.assign(from_.begin(), from_.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  const auto skip = [&] {
    if (offset < text_.size()) offset += length_from(text_[offset]);
  };
  for (const Change& change : changes) {
    Span origin{};
    if (tracked_ && !text_.empty()) {
      const std::size_t place = change.change > 0 ? std::max<std::size_t>(offset, 1) - 1 : offset;
      origin = change.change > 0 && offset == 0 ? Span{base_, base_}
                                                : at(std::min(place, text_.size() - 1));
    }
    if (change.change <= 0) skip();
    for (std::int32_t gone = change.change; gone < 0; ++gone) skip();
    push(text, from, change.code, origin);
  }
  own(std::move(text), std::move(from));
}

}  // namespace hone::tokenize
