// LayoutLMv2: bytes as they are, blue before green before red. Words are not read from the picture.

#include "processor/processor.h"

namespace hone::processors {

ProcessorKind layoutlmv2() {
  return {.name = "LayoutLMv2ImageProcessor",
          .summary = "bytes, blue before green before red; words are not read",
          .models = {"layoutlmv2"},
          .defaults = R"({"do_resize": true, "size": {"height": 224, "width": 224}, "resample": 2,
            "apply_ocr": true, "ocr_lang": null, "tesseract_config": ""})",
          .picture = PictureFacts{.sizing = exact_sizing, .flips_channels = true}};
}

}  // namespace hone::processors
