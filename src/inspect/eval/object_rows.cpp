#include "inspect/eval/object_rows.h"

#include "base/text.h"
#include "inspect/eval/picture_inputs.h"

namespace hone {
namespace {

Result<std::vector<double>> numbers_of(const Json& object, std::string_view key) {
  const Json* list = object.find(key);
  if (list == nullptr || list->as_array() == nullptr)
    return fail(Fault::bad_input, "an object has no '" + std::string(key) + "'");
  std::vector<double> numbers;
  for (const Json& one : *list->as_array()) {
    HONE_TRY(const double number, one.to_double());
    numbers.push_back(number);
  }
  return numbers;
}

Json list_of(std::initializer_list<double> numbers) {
  Json list = Json::array();
  for (const double number : numbers) list.push(number);
  return list;
}

bool is_crowd(const Json& object) {
  const Json* crowd = object.find("iscrowd");
  if (crowd == nullptr) return false;
  return crowd->as_bool() != nullptr ? *crowd->as_bool() : crowd->to_int().value_or(0) != 0;
}

Result<KnownObject> read_object(const Json& object) {
  const Json* kind = object.find("class");
  if (kind == nullptr) return fail(Fault::bad_input, "an object has no class");
  HONE_TRY(const std::uint64_t number, kind->to_uint());
  HONE_TRY(const std::vector<double> box, numbers_of(object, "box"));
  if (box.size() != 4)
    return fail(Fault::bad_input,
                "a box is [x, y, width, height], not " + object.find("box")->dump(-1));
  KnownObject known{.kind = static_cast<std::uint32_t>(number),
                    .box = {box[0], box[1], box[2], box[3]},
                    .area = box[2] * box[3],
                    .crowd = is_crowd(object)};
  if (const Json* area = object.find("area")) {
    HONE_TRY(known.area, area->to_double());
  }
  if (object.find("keypoints") != nullptr) {
    HONE_TRY(const std::vector<double> points, numbers_of(object, "keypoints"));
    for (std::size_t i = 0; i + 2 < points.size(); i += 3)
      known.keypoints.push_back({points[i], points[i + 1], points[i + 2]});
  }
  return known;
}

class ObjectEncoder : public Encoder {
 public:
  ObjectEncoder(PictureInputs inputs, ClassNames classes)
      : inputs_(std::move(inputs)), classes_(std::move(classes)) {}

  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    const Json* given = row.find("objects");
    if (given == nullptr || given->as_array() == nullptr)
      return fail(Fault::bad_input, "'objects' is no list");
    Json objects = Json::array();
    for (const Json& object : *given->as_array()) {
      const Json* name = object.find("label");
      if (name == nullptr) return fail(Fault::bad_input, "an object has no label");
      HONE_TRY(const std::uint64_t number, classes_.number_of(*name));
      Json known = Json::object();
      known.set("class", number);
      for (const char* key : {"box", "area", "iscrowd", "keypoints"})
        if (const Json* value = object.find(key)) known.set(key, *value);
      HONE_TRY_DO(read_object(known));
      objects.push(std::move(known));
    }
    HONE_TRY(EncodedPicture picture, inputs_.encode(row, "image"));
    Json label = Json::object();
    label.set("size",
              list_of({static_cast<double>(picture.width), static_cast<double>(picture.height)}));
    label.set("seen", list_of({static_cast<double>(picture.seen_width),
                               static_cast<double>(picture.seen_height)}));
    label.set("objects", std::move(objects));
    return std::vector<LabelledSample>{{std::move(picture.sample), std::move(label)}};
  }

  std::map<std::string, std::string> described() const override { return inputs_.described(); }

 private:
  PictureInputs inputs_;
  ClassNames classes_;
};

std::vector<std::vector<ClassMatches>> matches_in(std::span<const std::vector<double>> facts) {
  std::vector<std::vector<ClassMatches>> pictures;
  for (const std::vector<double>& unit : facts) {
    std::vector<ClassMatches>& matches = pictures.emplace_back();
    for (std::size_t at = 1; at < unit.size();) {
      ClassMatches& of_class = matches.emplace_back();
      of_class.kind = static_cast<std::uint32_t>(unit[at]);
      of_class.wanted = static_cast<std::uint32_t>(unit[at + 1]);
      const auto count = static_cast<std::size_t>(unit[at + 2]);
      at += 3;
      for (std::size_t i = 0; i < count; ++i, at += 3) {
        of_class.found.push_back({.score = unit[at],
                                  .right = static_cast<std::uint32_t>(unit[at + 1]),
                                  .ignored = static_cast<std::uint32_t>(unit[at + 2])});
      }
    }
  }
  return pictures;
}

WholeFigure precision_of(std::span<const std::vector<double>> facts, std::size_t last) {
  const auto precision = std::make_shared<const AveragePrecision>(matches_in(facts));
  return [precision, last](std::span<const std::uint32_t> times) {
    return precision->mean(0, last, times);
  };
}

}  // namespace

Result<LabelledPicture> read_labelled_picture(const Json& label) {
  HONE_TRY(const std::vector<double> size, numbers_of(label, "size"));
  HONE_TRY(const std::vector<double> seen, numbers_of(label, "seen"));
  const Json* objects = label.find("objects");
  if (size.size() != 2 || seen.size() != 2 || objects == nullptr || objects->as_array() == nullptr)
    return fail(Fault::bad_input,
                "the label does not say how large the picture is and what is in it");
  LabelledPicture picture{size[0], size[1], seen[0], seen[1], {}};
  for (const Json& object : *objects->as_array()) {
    HONE_TRY(KnownObject known, read_object(object));
    picture.objects.push_back(std::move(known));
  }
  return picture;
}

Result<std::unique_ptr<Encoder>> open_object_encoder(const EncoderSettings& settings) {
  HONE_TRY(PictureInputs inputs, PictureInputs::open(settings));
  HONE_TRY_DO(inputs.check_places());
  return std::unique_ptr<Encoder>(
      std::make_unique<ObjectEncoder>(std::move(inputs), settings.classes));
}

// The first number makes those of a picture without any object differ from none.
std::vector<double> facts_of(const std::vector<ClassMatches>& matches) {
  std::vector<double> facts = {static_cast<double>(matches.size())};
  for (const ClassMatches& of_class : matches) {
    facts.push_back(of_class.kind);
    facts.push_back(of_class.wanted);
    facts.push_back(static_cast<double>(of_class.found.size()));
    for (const FoundMatch& found : of_class.found) {
      facts.push_back(found.score);
      facts.push_back(found.right);
      facts.push_back(found.ignored);
    }
  }
  return facts;
}

WholeFigure mean_precision_of_all(std::span<const std::vector<double>> facts) {
  return precision_of(facts, AveragePrecision::thresholds - 1);
}

WholeFigure precision_at_half(std::span<const std::vector<double>> facts) {
  return precision_of(facts, 0);
}

}  // namespace hone
