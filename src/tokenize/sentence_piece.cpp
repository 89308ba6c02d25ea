// A SentencePiece model (spiece.model, tokenizer.model), written as the tokenizer.json it comes to.

#include <algorithm>
#include <limits>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "base/base64.h"
#include "base/text.h"
#include "tokenize/other_files.h"
#include "tokenize/utf8.h"

namespace hone::tokenize {
namespace {

constexpr std::string_view meta_space = "\xE2\x96\x81";

// As sentencepiece_model.proto numbers them.
enum PieceType : std::int32_t { normal = 1, unknown = 2, control = 3, user_defined = 4, byte = 6 };
enum ModelType : std::int32_t { unigram = 1, bpe = 2 };

struct Piece {
  std::string text{};
  double score = 0;
  std::int32_t type = normal;
};

struct Proto {
  std::vector<Piece> pieces{};
  std::int32_t type = unigram;
  bool byte_fallback = false;
  bool suffixes_space = false;
  std::string charsmap{};
  bool adds_prefix = true;
  bool removes_spaces = true;
};

Piece read_piece(protozero::pbf_reader message) {
  Piece piece;
  while (message.next()) {
    switch (message.tag()) {
      case 1:
        piece.text = message.get_string();
        break;
      case 2:
        piece.score = static_cast<double>(message.get_float());
        break;
      case 3:
        piece.type = message.get_enum();
        break;
      default:
        message.skip();
    }
  }
  return piece;
}

void read_trainer(protozero::pbf_reader message, Proto& proto) {
  while (message.next()) {
    switch (message.tag()) {
      case 3:
        proto.type = message.get_enum();
        break;
      case 24:
        proto.suffixes_space = message.get_bool();
        break;
      case 35:
        proto.byte_fallback = message.get_bool();
        break;
      default:
        message.skip();
    }
  }
}

void read_rules(protozero::pbf_reader message, Proto& proto) {
  while (message.next()) {
    switch (message.tag()) {
      case 2:
        proto.charsmap = message.get_string();
        break;
      case 3:
        proto.adds_prefix = message.get_bool();
        break;
      case 4:
        proto.removes_spaces = message.get_bool();
        break;
      default:
        message.skip();
    }
  }
}

Failure broken(std::string cause) {
  return fail(Fault::bad_input, "cannot read the SentencePiece model", std::move(cause));
}

Result<Proto> read_proto(std::string_view bytes) {
  Proto proto;
  try {
    protozero::pbf_reader message(bytes.data(), bytes.size());
    while (message.next()) {
      switch (message.tag()) {
        case 1:
          proto.pieces.push_back(read_piece(message.get_message()));
          break;
        case 2:
          read_trainer(message.get_message(), proto);
          break;
        case 3:
          read_rules(message.get_message(), proto);
          break;
        default:
          message.skip();
      }
    }
  } catch (const protozero::exception& error) {
    return broken(error.what());
  }
  if (proto.pieces.empty()) return broken("it has no pieces");
  for (const Piece& piece : proto.pieces) {
    if (valid_prefix(piece.text) != piece.text.size()) return broken("a piece is no UTF-8");
  }
  return proto;
}

Json object_of(std::string_view type) {
  Json made = Json::object();
  made.set("type", type);
  return made;
}

Json pattern_of(std::string_view kind, std::string_view text) {
  Json made = Json::object();
  made.set(kind, text);
  return made;
}

Json replace_of(std::string_view kind, std::string_view what, std::string_view by) {
  Json made = object_of("Replace");
  made.set("pattern", pattern_of(kind, what)).set("content", by);
  return made;
}

// Its own rules first, then spaces at the ends and in rows go.
Json normalizer_of(const Proto& proto) {
  Json all = Json::array();
  if (!proto.charsmap.empty()) {
    Json rules = object_of("Precompiled");
    rules.set("precompiled_charsmap", to_base64(proto.charsmap));
    all.push(std::move(rules));
  }
  if (proto.removes_spaces) {
    Json strip = object_of("Strip");
    strip.set("strip_left", true).set("strip_right", true);
    all.push(std::move(strip));
    all.push(replace_of("Regex", " {2,}", " "));
  }
  Json made = object_of("Sequence");
  made.set("normalizers", std::move(all));
  return made;
}

// Words may be looked at one by one where no piece reaches over a space.
bool has_words(const Proto& proto) {
  for (const Piece& piece : proto.pieces) {
    if (piece.text.find(meta_space, 1) != std::string::npos) return false;
  }
  return true;
}

Json pre_tokenizer_of(const Proto& proto) {
  Json made = object_of("Metaspace");
  made.set("replacement", meta_space).set("prepend_scheme", proto.adds_prefix ? "always" : "never");
  made.set("split", proto.type == unigram && has_words(proto));
  return made;
}

Json decoder_of(const Proto& proto) {
  Json all = Json::array();
  all.push(replace_of("String", meta_space, " "));
  all.push(object_of("ByteFallback"));
  all.push(object_of("Fuse"));
  if (proto.adds_prefix) {
    Json strip = object_of("Strip");
    strip.set("content", " ").set("start", 1).set("stop", 0);
    all.push(std::move(strip));
  }
  Json made = object_of("Sequence");
  made.set("decoders", std::move(all));
  return made;
}

// Merges in the order of the scores of what they make, which is the order they were learned in.
Json merges_of(const Proto& proto) {
  struct Merge {
    std::string first, second;
    double score;
    std::size_t first_id, second_id;
  };
  std::map<std::string_view, std::size_t> ids;
  for (std::size_t i = 0; i < proto.pieces.size(); ++i) ids[proto.pieces[i].text] = i;
  std::vector<Merge> merges;
  for (const Piece& piece : proto.pieces) {
    if (piece.type != normal) continue;
    const std::size_t begin = merges.size();
    const std::string_view text = piece.text;
    for (std::size_t at = 0; at < text.size(); at += length_from(text[at])) {
      const auto first = ids.find(text.substr(0, at));
      const auto second = ids.find(text.substr(at));
      if (at == 0 || first == ids.end() || second == ids.end()) continue;
      merges.push_back({std::string(first->first), std::string(second->first), piece.score,
                        first->second, second->second});
    }
    std::sort(merges.begin() + static_cast<std::ptrdiff_t>(begin), merges.end(),
              [](const Merge& a, const Merge& b) {
                return std::pair(a.first_id, a.second_id) < std::pair(b.first_id, b.second_id);
              });
  }
  std::stable_sort(merges.begin(), merges.end(), [](const Merge& a, const Merge& b) {
    const auto key = [](const Merge& m) {
      return std::tuple(m.score, count_characters(m.first), count_characters(m.second));
    };
    return key(a) > key(b);
  });
  Json list = Json::array();
  for (const Merge& merge : merges) {
    list.push(Json(Json::Array{Json(merge.first), Json(merge.second)}));
  }
  return list;
}

const Piece* unknown_of(const Proto& proto) {
  for (const Piece& piece : proto.pieces) {
    if (piece.type == unknown) return &piece;
  }
  return nullptr;
}

// A piece that a user defined wins over all others of its length, which SentencePiece says with
// this score.
double score_of(const Piece& piece, double best) {
  if (piece.type != user_defined) return piece.score;
  return static_cast<double>(piece.text.size()) * best - 0.1;
}

Json unigram_of(const Proto& proto) {
  double best = -std::numeric_limits<double>::infinity();
  for (const Piece& piece : proto.pieces) {
    if (piece.type == normal) best = std::max(best, piece.score);
  }
  Json made = object_of("Unigram");
  Json::Array pieces;
  for (const Piece& piece : proto.pieces) {
    pieces.emplace_back(Json::Array{Json(piece.text), Json(score_of(piece, best))});
  }
  if (const Piece* piece = unknown_of(proto)) made.set("unk_id", piece - proto.pieces.data());
  made.set("byte_fallback", proto.byte_fallback).set("vocab", Json(std::move(pieces)));
  return made;
}

Json bpe_of(const Proto& proto) {
  Json made = object_of("BPE");
  Json::Object pieces;
  for (std::size_t id = 0; id < proto.pieces.size(); ++id) {
    pieces.emplace_back(proto.pieces[id].text, Json(id));
  }
  if (const Piece* piece = unknown_of(proto)) made.set("unk_token", piece->text);
  made.set("fuse_unk", true).set("byte_fallback", proto.byte_fallback);
  made.set("merges", merges_of(proto)).set("vocab", Json(std::move(pieces)));
  return made;
}

Json added_of(const Proto& proto) {
  Json all = Json::array();
  for (const Piece& piece : proto.pieces) {
    const bool is_special = piece.type == control || piece.type == unknown;
    const bool is_found = piece.type == user_defined && proto.type == bpe;
    if (!is_special && !is_found) continue;
    Json token = Json::object();
    token.set("content", piece.text).set("special", is_special).set("normalized", is_found);
    all.push(std::move(token));
  }
  return all;
}

Status check(const Proto& proto) {
  constexpr std::size_t longest_piece = 4096;
  for (const Piece& piece : proto.pieces) {
    if (piece.text.size() > longest_piece) return broken("a piece is longer than 4096 bytes");
  }
  const auto refuse = [](std::string cause) {
    return fail(Fault::unsupported, "cannot use the SentencePiece model", std::move(cause),
                "the tokenizer.json that belongs to it");
  };
  if (proto.type != unigram && proto.type != bpe) {
    return refuse("it is of the type word or char, and hone knows unigram and bpe");
  }
  if (proto.suffixes_space)
    return refuse("it puts spaces behind words (treat_whitespace_as_suffix)");
  return done();
}

}  // namespace

Result<Json> sentence_piece_json(std::string_view bytes) {
  HONE_TRY(const Proto proto, read_proto(bytes));
  HONE_TRY_DO(check(proto));
  Json json = Json::object();
  json.set("added_tokens", added_of(proto));
  json.set("normalizer", normalizer_of(proto));
  json.set("pre_tokenizer", pre_tokenizer_of(proto));
  json.set("decoder", decoder_of(proto));
  json.set("model", proto.type == unigram ? unigram_of(proto) : bpe_of(proto));
  return json;
}

}  // namespace hone::tokenize
