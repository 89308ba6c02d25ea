// What a model writes: from a prompt, a picture or a sound to text.

#include "flow/generate/generate.h"

#include "app/command.h"
#include "app/interrupt.h"
#include "app/progress.h"
#include "app/where.h"
#include "report/generate/generate_text.h"

namespace hone::app::commands {
namespace {

// Text as it comes. JSON is one document, and comes at the end.
class Stream {
 public:
  explicit Stream(const Call& call) : call_(call) {}

  void say(std::string_view piece) {
    if (call_.wants_json() || !written_) return;
    written_ = write_to_stdout(for_terminals(piece));
    has_said_ = true;
  }
  // What was not said on the way, or the document.
  Status finish(const GenerateReport& report) {
    HONE_TRY_DO(std::move(written_));
    const std::string rest = has_said_ ? "\n" : describe_texts(report);
    return call_.answer(to_document(report, generation_schema_version), rest);
  }

 private:
  const Call& call_;
  Status written_ = done();
  bool has_said_ = false;
};

Result<ExitCode> run(const GenerateOrder& order, const Call& call) {
  Progress progress(call, "opening the model");
  Stream stream(call);
  GenerateWatch watch;
  watch.watch = progress.watch();
  watch.watch.stop = &stop_when_interrupted();
  watch.said = [&](std::string_view piece) { stream.say(piece); };
  HONE_TRY(const GenerateReport report, generate_texts(order, watch));
  HONE_TRY_DO(stream.finish(report));
  for (const std::string& note : report.notes) call.note("note: " + note);
  call.note(describe_generation(report));
  end_if_interrupted();
  return ExitCode::done;
}

void declare_source(Options& options, GenerateOrder& order) {
  options.texts("--prompt TEXT", order.prompts,
                "what to go on from, or what an encoder reads; several are written side by side");
  options.texts("--tokens IDS", order.tokens,
                "the same as ids, with commas or spaces between them");
  options.texts("--input FILE", order.inputs,
                "a picture or a sound for its encoder, or an .npz with what that takes");
  options.integer("--sample-rate HZ", order.sample_rate, "sounds: of the file, where it is another",
                  {.least = 1, .most = 768'000});
  options.text("--tokenizer WHERE", order.tokenizer,
               "a folder or file; else what lies beside the model");
}

void declare_choice(Options& options, TokenChoice& choice) {
  options.integer("--max-tokens N", choice.max_tokens,
                  "most to write; else what the model's files say, or 256");
  options.texts("--stop TEXT", choice.stop, "ends where this would come, and leaves it out");
  options.number("--temperature T", choice.temperature,
                 "draw: below 1 bolder to the likely, above 1 more even");
  options.integer("--top-k N", choice.top_k, "draw from the N likeliest");
  options.number("--top-p SHARE", choice.top_p, "draw from the likeliest that come to this share");
  options.number("--repetition-penalty X", choice.repetition_penalty,
                 "above 1: what was said gets less likely");
  options.integer("--beams N", choice.beams, "search by N beams instead of the likeliest token");
  options.seed(choice.seed, "of what is drawn");
}

Run declare(Options& options) {
  auto order = std::make_shared<GenerateOrder>();
  options.model(order->model, "MODEL",
                "a checkpoint, a folder with an encoder and decoders, or a decoder; or org/name");
  declare_source(options, *order);
  declare_choice(options, order->choice);
  declare_where(options, order->where);
  return [order](const Call& call) { return run(*order, call); };
}

}  // namespace

Command generate() {
  return {.name = "generate",
          .group = "look at a model",
          .summary = "Let a model write: text from a prompt, a picture or a sound",
          .help =
              "Decoders with caches (GPT-2, Llama, Qwen, ...) go on from a prompt; encoders\n"
              "with decoders (T5, Marian, Whisper, TrOCR, ...) write what they read, see or\n"
              "hear. A checkpoint is exported first. The likeliest token is taken, unless\n"
              "--temperature, --top-k or --top-p draw one: the same for the same seed. What\n"
              "ends a text, and what must or must not come, is said by generation_config.json\n"
              "beside the model. Text goes to stdout as it comes; Ctrl-C ends it with what\n"
              "there is. A prompt is taken as it is: no chat template is put around it.",
          .examples =
              "hone generate smollm --prompt 'Once upon a time' --max-tokens 40\n"
              "hone generate gpt2 --prompt 'I think' --temperature 0.8 --top-p 0.9 --seed 7\n"
              "hone generate opus-mt-en-de --prompt 'Good morning.' --beams 4\n"
              "hone generate whisper-tiny --input speech.wav\n"
              "hone generate llama --tokens 1,15043 --stop '.' --format json",
          .declare = declare};
}

}  // namespace hone::app::commands
