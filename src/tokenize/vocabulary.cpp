#include "tokenize/vocabulary.h"

#include "base/text.h"

namespace hone::tokenize {

std::size_t Vocabulary::slot_of(std::string_view token, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  const auto short_hash = static_cast<std::uint32_t>(hash >> 32U);
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.entry == no_id) return at;
    if (slot.hash == short_hash && view(entries_[slot.entry]) == token) return at;
  }
}

void Vocabulary::grow() {
  const std::size_t size = slots_.empty() ? 1024 : slots_.size() * 2;
  slots_.assign(size, Slot{});
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::uint64_t hash = hash_of(view(entries_[i]));
    slots_[slot_of(view(entries_[i]), hash)] = {static_cast<std::uint32_t>(hash >> 32U),
                                                static_cast<std::uint32_t>(i)};
  }
}

Status Vocabulary::add(std::string_view token, std::uint64_t id) {
  if (id > largest_id) {
    return fail(
        Fault::unsupported, "cannot use the tokenizer's vocabulary",
        "the token '" + printable(token.substr(0, 40)) + "' has the id " + std::to_string(id),
        "ids up to " + std::to_string(largest_id));
  }
  if (arena_.size() + token.size() > 0xFFFFFFF0U) {
    return fail(Fault::unsupported, "cannot use the tokenizer's vocabulary",
                "its tokens take more than 4 GiB");
  }
  if ((entries_.size() + 1) * 2 > slots_.size()) grow();
  const std::uint64_t hash = hash_of(token);
  Slot& slot = slots_[slot_of(token, hash)];
  if (slot.entry == no_id) {
    slot = {static_cast<std::uint32_t>(hash >> 32U), static_cast<std::uint32_t>(entries_.size())};
    entries_.push_back(
        {static_cast<std::uint32_t>(arena_.size()), static_cast<std::uint32_t>(token.size()), 0});
    arena_ += token;
  }
  entries_[slot.entry].id = static_cast<std::uint32_t>(id);
  if (by_id_.size() <= id) by_id_.resize(id + 1, no_id);
  by_id_[id] = slot.entry;
  return done();
}

void Vocabulary::finish() {
  arena_.shrink_to_fit();
  entries_.shrink_to_fit();
  by_id_.shrink_to_fit();
}

std::uint32_t Vocabulary::find(std::string_view token) const {
  if (slots_.empty()) return no_id;
  const Slot& slot = slots_[slot_of(token, hash_of(token))];
  return slot.entry == no_id ? no_id : entries_[slot.entry].id;
}

std::optional<std::string_view> Vocabulary::token(std::uint32_t id) const {
  if (id >= by_id_.size() || by_id_[id] == no_id) return std::nullopt;
  return view(entries_[by_id_[id]]);
}

}  // namespace hone::tokenize
