// Clips of sound, frame by frame: is somebody speaking. What a model remembers from frame to frame
// goes from its outputs back to its inputs, and is forgotten between clips.

#include "inspect/eval/evaluator.h"

namespace hone::evaluators {
namespace {

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
    if (frame_ && frame_->clip != frame.clip) completed = finish();
    frame_ = frame;
    ++frames_;
    speech_frames_ += scores.front() > threshold_ ? 1 : 0;
    remember(judged.outputs);
    return completed;
  }

  std::optional<Unit> finish() override {
    if (frames_ == 0) return std::nullopt;
    const double share = static_cast<double>(speech_frames_) / static_cast<double>(frames_);
    const bool heard = share >= 0.5;
    Unit unit{
        .scores = {heard == frame_->is_speech ? 1.0 : 0.0, frame_->is_speech ? share : 1 - share},
        .expected = name_of(frame_->is_speech),
        .got = name_of(heard)};
    frames_ = speech_frames_ = 0;
    return unit;
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

Result<std::unique_ptr<Judge>> open(const TaskSettings& settings) {
  return std::unique_ptr<Judge>(std::make_unique<VoiceJudge>(settings));
}

}  // namespace

Evaluator voice_activity() {
  return {.name = "voice-activity",
          .summary = "clips of sound, with and without speech: clips and frames heard right",
          .metrics = {{"clip_accuracy", true}, {"frame_accuracy", false}},
          .open = open};
}

}  // namespace hone::evaluators
