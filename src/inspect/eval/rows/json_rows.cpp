// Rows of a JSON file that is one value: a list, SQuAD's questions, COCO's pictures.

#include <map>
#include <utility>

#include "base/text.h"
#include "inspect/eval/rows/rows.h"

namespace hone {
namespace {

class ListRows : public RowSource {
 public:
  explicit ListRows(Json::Array rows) : rows_(std::move(rows)) {}

  Result<std::optional<Row>> next() override {
    if (next_ == rows_.size()) return std::optional<Row>();
    Row row;
    Json& given = rows_[next_++];
    row.line = next_;
    if (given.as_object() != nullptr) {
      row.columns = std::move(given);
    } else {
      row.problem = "it is " + given.described_kind() + ", not an object";
    }
    return std::optional(std::move(row));
  }
  std::string_view counted_by() const override { return "entry"; }

 private:
  Json::Array rows_;
  std::size_t next_ = 0;
};

const Json::Array& list_in(const Json& object, std::string_view key) {
  static const Json::Array none;
  const Json* found = object.find(key);
  return found != nullptr && found->as_array() != nullptr ? *found->as_array() : none;
}

Json value_in(const Json& object, std::string_view key) {
  const Json* found = object.find(key);
  return found != nullptr ? *found : Json();
}

// A row per question, as Hugging Face's datasets have them.
Json::Array squad_rows(const Json& document) {
  Json::Array rows;
  for (const Json& article : list_in(document, "data")) {
    for (const Json& paragraph : list_in(article, "paragraphs")) {
      for (const Json& asked : list_in(paragraph, "qas")) {
        Json answers = Json::array();
        for (const Json& answer : list_in(asked, "answers")) answers.push(value_in(answer, "text"));
        Json row = Json::object();
        row.set("question", value_in(asked, "question"));
        row.set("context", value_in(paragraph, "context"));
        row.set("answers", std::move(answers));
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

Json object_of(const Json& annotation, const std::map<std::string, Json>& names) {
  Json object = Json::object();
  const Json kind = value_in(annotation, "category_id");
  const auto name = names.find(kind.dump(-1));
  object.set("label", name != names.end() ? name->second : kind);
  object.set("box", value_in(annotation, "bbox"));
  for (const std::string_view key : {"area", "iscrowd", "keypoints"})
    if (const Json* value = annotation.find(key)) object.set(key, *value);
  return object;
}

Json::Array coco_rows(const Json& document) {
  std::map<std::string, Json> names;
  for (const Json& category : list_in(document, "categories"))
    names[value_in(category, "id").dump(-1)] = value_in(category, "name");
  std::map<std::string, Json> objects;
  for (const Json& annotation : list_in(document, "annotations")) {
    Json& of_picture = objects[value_in(annotation, "image_id").dump(-1)];
    if (of_picture.is_null()) of_picture = Json::array();
    of_picture.push(object_of(annotation, names));
  }
  Json::Array rows;
  for (const Json& picture : list_in(document, "images")) {
    Json row = Json::object();
    row.set("image", value_in(picture, "file_name"));
    const auto found = objects.find(value_in(picture, "id").dump(-1));
    row.set("objects", found != objects.end() ? std::move(found->second) : Json::array());
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<Json::Array> rows_in(Json document) {
  if (const Json::Array* list = document.as_array()) return *list;
  if (document.find("images") != nullptr && document.find("annotations") != nullptr)
    return coco_rows(document);
  if (document.find("data") != nullptr) {
    const Json::Array& data = list_in(document, "data");
    const bool is_squad = !data.empty() && data.front().find("paragraphs") != nullptr;
    return is_squad ? squad_rows(document) : data;
  }
  return fail(Fault::bad_input, "it holds no rows");
}

}  // namespace

Result<std::unique_ptr<RowSource>> open_json_rows(const Path& file) {
  HONE_TRY(const std::string text, read_file(file));
  auto document = Json::parse(text);
  auto rows =
      document ? rows_in(*std::move(document)) : Result<Json::Array>(fail(document.error()));
  if (!rows) {
    return fail(Fault::bad_input, "'" + file.string() + "' holds no rows", rows.error().what,
                "a list of objects, COCO's images with annotations or SQuAD's data; "
                "JSON with an object per line is called .jsonl");
  }
  return std::unique_ptr<RowSource>(std::make_unique<ListRows>(*std::move(rows)));
}

bool is_row_file(const Path& file) {
  const std::string extension = lowercase(file.extension().string());
  return extension == ".csv" || extension == ".tsv" || extension == ".jsonl" ||
         extension == ".ndjson" || extension == ".json";
}

Result<std::unique_ptr<RowSource>> open_rows(const Path& file) {
  const std::string extension = lowercase(file.extension().string());
  if (extension == ".csv") return open_csv(file, ',');
  if (extension == ".tsv") return open_csv(file, '\t');
  if (extension == ".json") return open_json_rows(file);
  return open_json_lines(file);
}

}  // namespace hone
