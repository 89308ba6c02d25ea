#pragma once
// Text out of a recognizer's scores: what connectionist temporal classification (CTC) was trained
// for, read greedily.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace hone {

// What each class stands for. Class 0 is the blank, and empty.
using Characters = std::vector<std::string>;

// The English dictionary of PP-OCR: blank, '0' to '~', '!' to '/', and the space twice.
Characters english_characters();

// One character per line, in UTF-8, as PP-OCR's ppocr_keys_v1.txt; the blank goes before them and
// the space behind.
Result<Characters> read_characters(const Path& file);

// The best class at each step, repetitions taken as one and blanks left out. `scores` are steps x
// characters. REQUIRES: scores.size() is a multiple of characters.size(), which is not 0.
std::string decode_greedily(std::span<const double> scores, const Characters& characters);

// How alike two texts are: 1 less the edits from one to the other by the length of `expected`, not
// below 0. In characters, not bytes.
double character_accuracy(std::string_view expected, std::string_view got);

}  // namespace hone
