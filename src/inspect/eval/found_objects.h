#pragma once
// What a detector found, out of its outputs: DETR's queries, YOLO's anchors, and boxes that the
// graph has sorted out itself.

#include "inspect/eval/judge.h"
#include "inspect/eval/object_rows.h"

namespace hone {

struct FoundObjects {
  std::vector<FoundObject> objects;  // in the picture's own pixels
  std::string way;                   // how they were read
};

// - `logits` [1,Q,C] and `pred_boxes` [1,Q,4]: DETR and its like. As many scores as the model has
//   classes are each a sigmoid (RT-DETR); one more is a softmax whose last is no object.
// - [1,4+C,N]: YOLOv8. Boxes of a class that overlap a better one are dropped.
// - [1,N,6] with N up to 1000: left, upper, right, lower, score, class.
Result<FoundObjects> find_objects(const NamedTensors& outputs, const LabelledPicture& picture,
                                  const TaskSettings& settings);

// [1,5+3K,N]: YOLOv8's poses, the box, its score and K keypoints; or [1,K,h,w]: a heatmap for each
// keypoint of one body.
Result<FoundObjects> find_bodies(const NamedTensors& outputs, const LabelledPicture& picture,
                                 const TaskSettings& settings);

// The best first; what overlaps a better one of its class by more is dropped.
std::vector<FoundObject> without_overlaps(std::vector<FoundObject> found, double overlap);

}  // namespace hone
