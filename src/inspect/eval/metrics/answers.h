#pragma once
// Answers to questions, as SQuAD's own script judges them.

#include <span>
#include <string>
#include <string_view>

namespace hone {

// Lower case, without ASCII's punctuation and the words a, an and the, one space between words.
std::string plain_answer(std::string_view answer);

struct AnswerScore {
  double exact = 0;
  double f1 = 0;
};
// The best over all answers that count as right. None at all means that there is no answer: then an
// empty one is right.
AnswerScore score_answer(std::span<const std::string> right, std::string_view got);

}  // namespace hone
