#include "inspect/eval/map_rows.h"

#include "inspect/eval/picture_inputs.h"

namespace hone {
namespace {

class MapEncoder : public Encoder {
 public:
  MapEncoder(PictureInputs inputs, std::string column)
      : inputs_(std::move(inputs)), column_(std::move(column)) {}

  Result<std::vector<LabelledSample>> encode(const Json& row) override {
    HONE_TRY(const Path file, inputs_.file_in(row, column_));
    HONE_TRY_DO(size_of_file(file));
    HONE_TRY(EncodedPicture picture, inputs_.encode(row, "image"));
    Json label = Json::object();
    label.set("file", file.string());
    return std::vector<LabelledSample>{{std::move(picture.sample), std::move(label)}};
  }

  std::map<std::string, std::string> described() const override { return inputs_.described(); }

 private:
  PictureInputs inputs_;
  std::string column_;
};

}  // namespace

Result<std::unique_ptr<Encoder>> open_map_encoder(const EncoderSettings& settings,
                                                  std::string column, bool keeps_size) {
  HONE_TRY(PictureInputs inputs, PictureInputs::open(settings));
  HONE_TRY_DO(inputs.check_places());
  if (keeps_size) inputs.keep_size();
  return std::unique_ptr<Encoder>(
      std::make_unique<MapEncoder>(std::move(inputs), std::move(column)));
}

}  // namespace hone
