// Text as a model sees it: tokens, ids, and where each comes from.

#include "flow/tokenize.h"

#include "app/command.h"
#include "report/tokenize/tokenize_text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  TokenizeOrder order;
  std::string text;
  std::string pair;
};

Result<ExitCode> run(const TokenizeOrder& order, const Call& call) {
  HONE_TRY(const TokenizeReport report, tokenize_text(order));
  HONE_TRY_DO(call.answer(to_document(report, tokenize_schema_version), describe_tokens(report)));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.positional(
      "TOKENIZER", arguments->order.tokenizer,
      "a checkpoint's folder, a model beside its tokenizer, or the tokenizer's file");
  options.text("--text TEXT", arguments->text, "the text");
  options.text("--file FILE", arguments->order.file, "a file whose text it is");
  options.text("--pair TEXT", arguments->pair, "a second text, as question answering has it");
  options.text("--decode IDS", arguments->order.decode,
               "the other way: the text of these ids, with commas or spaces between them");
  options.flag("--no-special", arguments->order.without_special,
               "add no [CLS], <s> and the like; with --decode: leave them out");
  options.afterwards([arguments, &options] {
    if (options.is_given("--text")) arguments->order.text = arguments->text;
    if (options.is_given("--pair")) arguments->order.pair = arguments->pair;
    return done();
  });
  return [arguments](const Call& call) { return run(arguments->order, call); };
}

}  // namespace

Command tokenize() {
  return {.name = "tokenize",
          .group = "look at a model",
          .summary = "Show a text as tokens: ids, offsets, words; and ids as text",
          .help =
              "Reads tokenizer.json, or vocab.txt, vocab.json with merges.txt or a\n"
              "SentencePiece model where there is none, and gives the ids that the published\n"
              "library gives. Offsets are into the text: in characters, and in bytes.",
          .examples =
              "hone tokenize bert-base --text 'Tokenizers are unaffable.'\n"
              "hone tokenize bert-base --text 'Who?' --pair 'Ada was.' --format json\n"
              "hone tokenize model/tokenizer.json --decode 101,7592,102",
          .declare = declare};
}

}  // namespace hone::app::commands
