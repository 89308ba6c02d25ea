#include "inspect/eval/found_objects.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace hone {
namespace {

// As YOLO's own validation has it: average precision wants the weak answers too.
constexpr double least_score = 0.001;
constexpr std::size_t most_found = 300;
// Boxes that are compared with each other: the best of a picture.
constexpr std::size_t most_compared = 30000;

struct Grid {
  std::vector<double> numbers;
  std::vector<std::int64_t> dims;
  std::size_t at(std::size_t axis) const { return static_cast<std::size_t>(dims[axis]); }
};

Result<Grid> grid_of(const NamedTensors& outputs, const std::string& name) {
  HONE_TRY(std::vector<double> numbers, numbers_of_output(outputs, name));
  return Grid{std::move(numbers), outputs.at(name)->dims};
}

bool is_grid(const Grid& grid, std::size_t rank) {
  return grid.dims.size() == rank && grid.dims[0] == 1;
}

double sigmoid(double value) { return 1 / (1 + std::exp(-value)); }

// From the middle, in pixels of what the model sees, to the picture's own.
Box box_from_middle(const double* sides, double step, const LabelledPicture& picture,
                    double unit_width, double unit_height) {
  const auto side = [&](std::size_t i) { return sides[static_cast<std::size_t>(step) * i]; };
  const double across = picture.width / unit_width;
  const double down = picture.height / unit_height;
  return {(side(0) - side(2) / 2) * across, (side(1) - side(3) / 2) * down, side(2) * across,
          side(3) * down};
}

std::vector<double> probabilities(std::span<const double> logits) {
  const double largest = *std::ranges::max_element(logits);
  double sum = 0;
  std::vector<double> shares;
  for (const double logit : logits) sum += shares.emplace_back(std::exp(logit - largest));
  for (double& share : shares) share /= sum;
  return shares;
}

void keep_best(std::vector<FoundObject>& found, std::size_t most) {
  std::ranges::stable_sort(
      found, [](const FoundObject& a, const FoundObject& b) { return a.score > b.score; });
  if (found.size() > most) found.resize(most);
}

FoundObjects read_queries(const Grid& logits, const Grid& boxes, const LabelledPicture& picture,
                          std::size_t names) {
  const std::size_t classes = logits.at(2);
  const bool has_none = names != classes;
  FoundObjects found;
  found.way = has_none ? "queries: softmax, the last class is none" : "queries: sigmoid";
  for (std::size_t query = 0; query < logits.at(1); ++query) {
    const auto row = std::span(logits.numbers).subspan(query * classes, classes);
    std::vector<double> scores = has_none ? probabilities(row) : std::vector<double>();
    if (has_none) scores.pop_back();
    if (!has_none)
      for (const double logit : row) scores.push_back(sigmoid(logit));
    const Box box = box_from_middle(&boxes.numbers[query * 4], 1, picture, 1, 1);
    // One class of a softmax; of sigmoids each that is likely.
    const auto best = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
    for (std::size_t kind = 0; kind < scores.size(); ++kind) {
      if (scores[kind] < least_score || (has_none && kind != best)) continue;
      found.objects.push_back({static_cast<std::uint32_t>(kind), box, scores[kind], {}});
    }
  }
  keep_best(found.objects, most_found);
  return found;
}

FoundObjects read_anchors(const Grid& grid, const LabelledPicture& picture, double overlap) {
  const std::size_t classes = grid.at(1) - 4;
  const std::size_t anchors = grid.at(2);
  FoundObjects found;
  found.way = "anchors: scores above 0.001, boxes that overlap a better one by more than " +
              Json(overlap).dump(-1) + " dropped, 300 kept";
  for (std::size_t anchor = 0; anchor < anchors; ++anchor) {
    for (std::size_t kind = 0; kind < classes; ++kind) {
      const double score = grid.numbers[(4 + kind) * anchors + anchor];
      if (!(score > least_score)) continue;
      const Box box = box_from_middle(&grid.numbers[anchor], static_cast<double>(anchors), picture,
                                      picture.seen_width, picture.seen_height);
      found.objects.push_back({static_cast<std::uint32_t>(kind), box, score, {}});
    }
  }
  keep_best(found.objects, most_compared);
  found.objects = without_overlaps(std::move(found.objects), overlap);
  keep_best(found.objects, most_found);
  return found;
}

FoundObjects read_boxes(const Grid& grid, const LabelledPicture& picture) {
  FoundObjects found{.objects = {}, .way = "boxes as the graph gives them"};
  const double across = picture.width / picture.seen_width;
  const double down = picture.height / picture.seen_height;
  for (std::size_t i = 0; i < grid.at(1); ++i) {
    const double* row = &grid.numbers[i * 6];
    if (!(row[4] > least_score) || row[5] < 0) continue;
    const Box box{row[0] * across, row[1] * down, (row[2] - row[0]) * across,
                  (row[3] - row[1]) * down};
    found.objects.push_back({static_cast<std::uint32_t>(row[5]), box, row[4], {}});
  }
  return found;
}

Failure unread(const Grid& grid) {
  std::string shape;
  for (const std::int64_t dim : grid.dims)
    shape += (shape.empty() ? "" : ",") + std::to_string(dim);
  return fail(Fault::unsupported, "the output [" + shape + "] holds no objects that hone can read",
              {}, "logits with pred_boxes, [1,4+C,N] and [1,N,6] are read: docs/eval.md");
}

// The highest place of a heatmap, in the picture's pixels.
Keypoint highest(const Grid& maps, std::size_t map, const LabelledPicture& picture) {
  const std::size_t rows = maps.at(2);
  const std::size_t columns = maps.at(3);
  const auto values = std::span(maps.numbers).subspan(map * rows * columns, rows * columns);
  const auto place = static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
  return {
      (static_cast<double>(place % columns) + 0.5) * picture.width / static_cast<double>(columns),
      (static_cast<double>(place / columns) + 0.5) * picture.height / static_cast<double>(rows),
      values[place]};
}

FoundObjects read_heatmaps(const Grid& maps, const LabelledPicture& picture) {
  FoundObject body;
  body.box = {0, 0, picture.width, picture.height};
  for (std::size_t map = 0; map < maps.at(1); ++map) {
    body.keypoints.push_back(highest(maps, map, picture));
    body.score += body.keypoints.back().visible / static_cast<double>(maps.at(1));
  }
  return {.objects = {body}, .way = "the highest place of each heatmap"};
}

FoundObjects read_poses(const Grid& grid, const LabelledPicture& picture, double overlap) {
  const std::size_t anchors = grid.at(2);
  const auto value = [&](std::size_t row, std::size_t anchor) {
    return grid.numbers[row * anchors + anchor];
  };
  const double across = picture.width / picture.seen_width;
  const double down = picture.height / picture.seen_height;
  FoundObjects found;
  found.way = "poses: scores above 0.001, boxes that overlap a better one by more than " +
              Json(overlap).dump(-1) + " dropped";
  for (std::size_t anchor = 0; anchor < anchors; ++anchor) {
    const double score = value(4, anchor);
    if (!(score > least_score)) continue;
    FoundObject body{.kind = 0, .box = {}, .score = score};
    body.box = box_from_middle(&grid.numbers[anchor], static_cast<double>(anchors), picture,
                               picture.seen_width, picture.seen_height);
    for (std::size_t row = 5; row + 2 < grid.at(1); row += 3)
      body.keypoints.push_back(
          {value(row, anchor) * across, value(row + 1, anchor) * down, value(row + 2, anchor)});
    found.objects.push_back(std::move(body));
  }
  keep_best(found.objects, most_compared);
  found.objects = without_overlaps(std::move(found.objects), overlap);
  keep_best(found.objects, most_found);
  return found;
}

}  // namespace

std::vector<FoundObject> without_overlaps(std::vector<FoundObject> found, double overlap) {
  keep_best(found, found.size());
  std::vector<FoundObject> kept;
  for (FoundObject& object : found) {
    const bool is_double = std::ranges::any_of(kept, [&](const FoundObject& better) {
      return better.kind == object.kind && overlap_of(object.box, better.box) > overlap;
    });
    if (!is_double) kept.push_back(std::move(object));
  }
  return kept;
}

Result<FoundObjects> find_objects(const NamedTensors& outputs, const LabelledPicture& picture,
                                  const TaskSettings& settings) {
  if (outputs.contains("logits") && outputs.contains("pred_boxes")) {
    HONE_TRY(const Grid logits, grid_of(outputs, "logits"));
    HONE_TRY(const Grid boxes, grid_of(outputs, "pred_boxes"));
    const bool fits = is_grid(logits, 3) && is_grid(boxes, 3) && boxes.dims[2] == 4 &&
                      logits.dims[1] == boxes.dims[1] && logits.dims[2] > 1;
    if (!fits) return unread(boxes);
    return read_queries(logits, boxes, picture, settings.class_names.size());
  }
  HONE_TRY(const Grid grid, grid_of(outputs, settings.output));
  if (!is_grid(grid, 3)) return unread(grid);
  if (grid.dims[2] == 6 && grid.dims[1] <= 1000) return read_boxes(grid, picture);
  if (grid.dims[1] > 4 && grid.dims[1] < grid.dims[2])
    return read_anchors(grid, picture, settings.overlap);
  return unread(grid);
}

Result<FoundObjects> find_bodies(const NamedTensors& outputs, const LabelledPicture& picture,
                                 const TaskSettings& settings) {
  HONE_TRY(const Grid grid, grid_of(outputs, settings.output));
  if (is_grid(grid, 4)) return read_heatmaps(grid, picture);
  if (is_grid(grid, 3) && grid.dims[1] > 5 && (grid.dims[1] - 5) % 3 == 0)
    return read_poses(grid, picture, settings.overlap);
  return unread(grid);
}

}  // namespace hone
