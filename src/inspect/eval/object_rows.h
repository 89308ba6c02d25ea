#pragma once
// Pictures with the objects that are in them, from rows to labels and back.

#include "inspect/eval/encoder.h"
#include "inspect/eval/metrics/objects.h"

namespace hone {

struct LabelledPicture {
  double width = 0;  // of the picture in its file, which boxes are of
  double height = 0;
  double seen_width = 0;  // of what the model sees: all of the picture, scaled
  double seen_height = 0;
  std::vector<KnownObject> objects;
};
Result<LabelledPicture> read_labelled_picture(const Json& label);

Result<std::unique_ptr<Encoder>> open_object_encoder(const EncoderSettings& settings);

// Matches of a picture as a unit keeps them.
std::vector<double> facts_of(const std::vector<ClassMatches>& matches);
WholeFigure mean_precision_of_all(std::span<const std::vector<double>> facts);
WholeFigure precision_at_half(std::span<const std::vector<double>> facts);

}  // namespace hone
