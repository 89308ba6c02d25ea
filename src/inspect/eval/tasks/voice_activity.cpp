// Clips of sound, frame by frame: is somebody speaking. What a model remembers from frame to frame
// goes from its outputs back to its inputs, and is forgotten between clips.
//
// Clips for a voice-activity model: speech that espeak-ng says, silence, and noise. The frames are
// those silero's model takes: 512 new samples at 16 kHz behind the last 64 of the frame before.

#include <algorithm>
#include <array>
#include <cmath>

#include "base/process.h"
#include "inspect/eval/dataset.h"
#include "inspect/eval/judge.h"
#include "inspect/eval/wav.h"
#include "inspect/eval/words.h"
#include "model/weights/normal.h"

namespace hone::tasks {
namespace {

// --- The judge

struct Frame {
  std::int64_t clip = 0;
  bool is_speech = false;
};

Result<Frame> read_frame(const Json& label) {
  const Json* clip = label.find("clip");
  const Json* speech = label.find("speech");
  if (clip == nullptr || speech == nullptr || speech->as_bool() == nullptr) {
    return fail(Fault::bad_input,
                "the label of a frame is {\"clip\": NUMBER, \"speech\": true or false}, not " +
                    label.dump(-1));
  }
  HONE_TRY(const std::int64_t number, clip->to_int());
  return Frame{number, *speech->as_bool()};
}

class VoiceJudge : public Judge {
 public:
  explicit VoiceJudge(const TaskSettings& settings)
      : output_(settings.output), threshold_(settings.threshold) {}

  Status prepare(Sample& sample, const Json& label) override {
    HONE_TRY(const Frame frame, read_frame(label));
    if (!frame_ || frame_->clip != frame.clip) memory_.clear();
    for (auto& [input, tensor] : sample) {
      if (const auto kept = memory_.find(input); kept != memory_.end()) tensor = kept->second;
    }
    return done();
  }

  Result<std::optional<Unit>> judge(const Judged& judged) override {
    HONE_TRY(const Frame frame, read_frame(judged.label));
    HONE_TRY(const std::vector<double> scores, numbers_of_output(judged.outputs, output_));
    std::optional<Unit> completed;
    if (frame_ && frame_->clip != frame.clip) completed = finish().front();
    frame_ = frame;
    ++frames_;
    speech_frames_ += scores.front() > threshold_ ? 1 : 0;
    remember(judged.outputs);
    return completed;
  }

  std::vector<Unit> finish() override {
    if (frames_ == 0) return {};
    const double share = static_cast<double>(speech_frames_) / static_cast<double>(frames_);
    const bool heard = share >= 0.5;
    Unit unit{
        .scores = {heard == frame_->is_speech ? 1.0 : 0.0, frame_->is_speech ? share : 1 - share},
        .expected = name_of(frame_->is_speech),
        .got = name_of(heard)};
    frames_ = speech_frames_ = 0;
    return {unit};
  }

 private:
  static std::string name_of(bool is_speech) { return is_speech ? "speech" : "none"; }

  // Exporters call the next value of an input `state` stateN, and of `h` hn.
  void remember(const NamedTensors& outputs) {
    for (const auto& [name, tensor] : outputs) {
      if (name.size() < 2 || (name.back() != 'N' && name.back() != 'n')) continue;
      const std::string input = name.substr(0, name.size() - 1);
      memory_[input] = make_tensor(input, tensor->type, tensor->dims, tensor->dense);
    }
  }

  std::string output_;
  double threshold_;
  NamedTensors memory_;
  std::optional<Frame> frame_;
  std::uint64_t frames_ = 0;
  std::uint64_t speech_frames_ = 0;
};

// --- The data

constexpr double rate = 16000;
constexpr std::size_t frame_samples = 512;
constexpr std::size_t context_samples = 64;
constexpr std::size_t clip_frames = 48;  // 1.5 s
constexpr std::size_t clip_samples = clip_frames * frame_samples;
constexpr std::int64_t state_size = 128;
// What counts as the start of speech; quieter is the engine's own silence.
constexpr double audible = 0.02;
// Power of speech to noise in noisy clips: 10 dB.
constexpr double noisy_ratio = 10;

constexpr std::array<const char*, 4> voices = {"en-us", "en-gb", "en-us+f3", "en-gb+m3"};

enum class Kind { speech, silence, noise };

Result<Sound> speak(const std::string& text, Random& random) {
  const std::string voice = voices[random.below(voices.size())];
  const std::string speed = std::to_string(140 + random.below(60));
  ProcessOptions options;
  options.input = text;
  options.limits.time = std::chrono::seconds(30);
  const auto end =
      run_process({"espeak-ng", "-v", voice, "-s", speed, "--stdin", "--stdout"}, options);
  if (!end || !end->ok()) {
    return fail(Fault::not_found, "speech needs espeak-ng, and it cannot be run",
                end ? end->describe() + ": " + end->standard_error : end.error().cause,
                "apt-get install espeak-ng");
  }
  HONE_TRY(const Sound sound, read_wav(end->standard_output));
  return resample(sound, rate);
}

// Of a length; what was said is cut, or followed by silence.
std::vector<double> clip_of(const Sound& sound) {
  const auto start =
      std::ranges::find_if(sound.samples, [](double sample) { return std::abs(sample) > audible; });
  std::vector<double> clip(start, sound.samples.end());
  clip.resize(clip_samples, 0.0);
  return clip;
}

void add_noise(std::vector<double>& clip, double deviation, std::uint64_t seed) {
  std::vector<double> noise(clip.size());
  NormalStream(seed, "noise").fill(0, noise);
  for (std::size_t i = 0; i < clip.size(); ++i)
    clip[i] = std::clamp(clip[i] + deviation * noise[i], -1.0, 1.0);
}

double power_of(const std::vector<double>& clip) {
  double sum = 0;
  for (const double sample : clip) sum += sample * sample;
  return sum / static_cast<double>(clip.size());
}

Result<std::vector<double>> make_clip(Kind kind, const std::vector<std::string>& words, bool noisy,
                                      Random& random) {
  std::vector<double> clip(clip_samples, 0.0);
  if (kind == Kind::speech) {
    HONE_TRY(const Sound sound, speak(pick_words(words, 6, 9, random), random));
    clip = clip_of(sound);
    if (noisy) add_noise(clip, std::sqrt(power_of(clip) / noisy_ratio), random.next());
  }
  if (kind == Kind::noise) add_noise(clip, 0.01 + 0.09 * random.uniform(), random.next());
  return clip;
}

Sample frame_of(const std::string& input, const std::vector<double>& clip, std::size_t frame) {
  std::vector<double> numbers(context_samples + frame_samples, 0.0);
  const std::size_t start = frame * frame_samples;
  const std::size_t context = std::min(start, context_samples);
  std::copy_n(clip.begin() + static_cast<std::ptrdiff_t>(start - context), context + frame_samples,
              numbers.begin() + static_cast<std::ptrdiff_t>(context_samples - context));
  const std::vector<double> state(2 * state_size, 0.0);
  const std::int64_t hertz = static_cast<std::int64_t>(rate);
  return {{input, make_float_input(input, {1, context_samples + frame_samples}, numbers)},
          {"state", make_float_input("state", {2, 1, state_size}, state)},
          {"sr", make_int64_tensor("sr", std::span(&hertz, 1), true)}};
}

Result<Json> make(const DatasetRequest& request, DatasetWriter& writer) {
  HONE_TRY(const std::vector<std::string> words, read_words());
  const std::string input = request.input.empty() ? "input" : request.input;
  for (std::uint64_t i = 0; i < request.count; ++i) {
    constexpr std::array<Kind, 4> turns = {Kind::speech, Kind::silence, Kind::speech, Kind::noise};
    const Kind kind = turns[i % turns.size()];
    Random random(mix64(mix64(request.seed) + i));
    HONE_TRY(const std::vector<double> clip, make_clip(kind, words, request.noisy, random));
    for (std::size_t frame = 0; frame < clip_frames; ++frame) {
      Json label = Json::object();
      label.set("clip", i);
      label.set("speech", kind == Kind::speech);
      HONE_TRY_DO(writer.add(frame_of(input, clip, frame), std::move(label)));
    }
    if (request.progress) request.progress(i + 1, request.count);
  }
  Json made = Json::object();
  made.set("speaker", "espeak-ng");
  return made;
}

}  // namespace

Task voice_activity() {
  return {.name = "voice-activity",
          .summary = "Clips of sound, with and without speech: clips and frames heard right",
          .feed = Feed::sound,
          .metrics = {{"clip_accuracy", true}, {"frame_accuracy", false}},
          .label = "{\"clip\": NUMBER, \"speech\": true or false}, of a frame",
          .open = open_judge<VoiceJudge>,
          .data = {{.name = "speech",
                    .summary = "Clips of espeak-ng's speech, silence and noise, for silero's model",
                    .count = 80,
                    .make = make}}};
}

}  // namespace hone::tasks
