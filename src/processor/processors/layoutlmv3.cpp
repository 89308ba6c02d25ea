// LayoutLMv3: the whole picture, scaled. Words are not read from the picture.

#include "processor/processor.h"

namespace hone::processors {

ProcessorKind layoutlmv3() {
  return {.name = "LayoutLMv3ImageProcessor",
          .summary = "the whole picture, scaled; words are not read",
          .models = {"layoutlmv3", "udop"},
          .defaults = R"({"do_resize": true, "do_normalize": true,
            "size": {"height": 224, "width": 224}, "resample": 2,
            "do_rescale": true, "rescale_factor": 0.00392156862745098,
            "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5],
            "apply_ocr": true, "ocr_lang": null, "tesseract_config": ""})",
          .picture = PictureFacts{.sizing = exact_sizing}};
}

}  // namespace hone::processors
