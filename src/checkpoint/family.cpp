#include "checkpoint/family.h"

#include <algorithm>
#include <array>

namespace hone {
namespace {

struct NamedHead {
  std::string_view ending;  // of the architecture's name; the first that fits counts
  std::string_view task;
};

constexpr std::array heads = {
    NamedHead{"HubertForSequenceClassification", "audio-classification"},
    NamedHead{"Wav2Vec2ForSequenceClassification", "audio-classification"},
    NamedHead{"ForSequenceClassification", "text-classification"},
    NamedHead{"ForTokenClassification", "token-classification"},
    NamedHead{"ForQuestionAnswering", "question-answering"},
    NamedHead{"ForMultipleChoice", "multiple-choice"},
    NamedHead{"ForMaskedLM", "fill-mask"},
    NamedHead{"ForPreTraining", "fill-mask"},
    NamedHead{"ForCausalLM", "text-generation-with-past"},
    NamedHead{"LMHeadModel", "text-generation-with-past"},
    NamedHead{"ForImageClassificationWithTeacher", "image-classification"},
    NamedHead{"ForImageClassification", "image-classification"},
    NamedHead{"ForMaskedImageModeling", "masked-im"},
    NamedHead{"ForSemanticSegmentation", "image-segmentation"},
    NamedHead{"OwlViTForObjectDetection", "zero-shot-object-detection"},
    NamedHead{"Owlv2ForObjectDetection", "zero-shot-object-detection"},
    NamedHead{"ForSegmentation", "image-segmentation"},
    NamedHead{"ForObjectDetection", "object-detection"},
    NamedHead{"ForZeroShotObjectDetection", "zero-shot-object-detection"},
    NamedHead{"ForDepthEstimation", "depth-estimation"},
    NamedHead{"ForPoseEstimation", "keypoint-detection"},
    NamedHead{"ForAudioClassification", "audio-classification"},
    NamedHead{"ForAudioFrameClassification", "audio-frame-classification"},
    NamedHead{"ForXVector", "audio-xvector"},
    NamedHead{"ForCTC", "automatic-speech-recognition"},
    NamedHead{"ForSpeechSeq2Seq", "automatic-speech-recognition"},
    NamedHead{"VisionEncoderDecoderModel", "image-to-text"},
    NamedHead{"BlipForConditionalGeneration", "image-to-text"},
    NamedHead{"WhisperForConditionalGeneration", "automatic-speech-recognition"},
    NamedHead{"ForConditionalGeneration", "text2text-generation"},
    NamedHead{"MTModel", "text2text-generation"},
    NamedHead{"CLIPModel", "zero-shot-image-classification"},
    NamedHead{"SiglipModel", "zero-shot-image-classification"},
    NamedHead{"ModelWithProjection", "feature-extraction"},
    NamedHead{"Model", "feature-extraction"},
};

// Those that no architecture stands for: they have to be asked for.
constexpr std::array<std::string_view, 1> other_tasks = {"text-generation"};

}  // namespace

const Family* find_family(std::string_view model_type) {
  for (const Family& family : all_families()) {
    const auto& types = family.model_types;
    if (std::find(types.begin(), types.end(), model_type) != types.end()) return &family;
  }
  return nullptr;
}

std::string_view task_of_architecture(std::string_view architecture) {
  for (const NamedHead& head : heads) {
    if (architecture.ends_with(head.ending)) return head.task;
  }
  return {};
}

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const NamedHead& head : heads) {
    if (std::find(names.begin(), names.end(), head.task) == names.end()) {
      names.emplace_back(head.task);
    }
  }
  names.insert(names.end(), other_tasks.begin(), other_tasks.end());
  return names;
}

}  // namespace hone
