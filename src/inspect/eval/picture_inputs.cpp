#include "inspect/eval/picture_inputs.h"

#include "base/text.h"
#include "inspect/eval/token_inputs.h"

namespace hone {
namespace {

std::string list_of(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : ", ") + Json(number).dump(-1);
  return text;
}

}  // namespace

Result<PictureInputs> PictureInputs::open(const EncoderSettings& settings) {
  PictureInputs made;
  std::size_t pictures = 0;
  for (const Port& port : settings.inputs) {
    if (settings.processor && port.name == pixel_mask_name) {
      made.mask_ = port;
      continue;
    }
    made.input_ = port;
    ++pictures;
  }
  if (pictures != 1) {
    return fail(Fault::unsupported, "a picture is one input, and the model has " +
                                        std::to_string(settings.inputs.size()));
  }
  made.rules_ = settings.images;
  made.folder_ = settings.folder;
  made.processor_ = settings.processor;
  if (!made.processor_) {
    HONE_TRY(made.layout_, image_layout(made.input_, made.rules_.size));
  }
  return made;
}

Status PictureInputs::check_places() const {
  if (!processor_) return done();
  const PicturePlan& plan = *processor_->picture();
  if (!plan.crop && !plan.pad_to && plan.pad_multiple <= 1) return done();
  return fail(Fault::unsupported, printable(processor_->file) + " cuts or fills up pictures",
              "where in the picture an answer is can then not be told",
              "--processor none scales the whole picture");
}

Result<EncodedPicture> PictureInputs::process(const Path& file) const {
  // The size of the picture itself is what places are in.
  HONE_TRY(const Image picture, read_image(file, 1));
  HONE_TRY(ProcessedImage made, process_image(file, input_, *processor_));
  if (mask_ && made.mask == nullptr) {
    return fail(Fault::unsupported, "the input 'pixel_mask' takes " + to_string(mask_->type),
                printable(processor_->file) + " makes no such mask");
  }
  EncodedPicture encoded{.sample = {}, .width = picture.width, .height = picture.height};
  const std::vector<std::int64_t>& dims = made.picture->dims;
  const std::size_t rank = dims.size();
  const bool channels_last = rank >= 3 && dims[rank - 3] != 3 && dims[rank - 1] == 3;
  const std::size_t rows = rank - (channels_last ? 3 : 2);
  encoded.seen_height = static_cast<std::size_t>(dims[rows]);
  encoded.seen_width = static_cast<std::size_t>(dims[rows + 1]);
  encoded.sample[input_.name] = std::move(made.picture);
  if (mask_) encoded.sample[mask_->name] = std::move(made.mask);
  return encoded;
}

Result<Path> PictureInputs::file_in(const Json& row, std::string_view column) const {
  HONE_TRY(const std::string name, text_in(row, column));
  return folder_ / name;
}

Result<EncodedPicture> PictureInputs::encode(const Json& row, std::string_view column) const {
  HONE_TRY(const Path file, file_in(row, column));
  if (processor_) return process(file);
  HONE_TRY(const Image picture, read_image(file, layout_.channels));
  ImageLayout layout = layout_;
  const Shape& shape = *input_.type.shape;
  if (keeps_size_ && !shape[layout.rows_axis].value && !shape[layout.rows_axis + 1].value) {
    layout.height = picture.height;
    layout.width = picture.width;
    layout.dims[layout.rows_axis] = static_cast<std::int64_t>(picture.height);
    layout.dims[layout.rows_axis + 1] = static_cast<std::int64_t>(picture.width);
  }
  EncodedPicture made{.sample = {},
                      .width = picture.width,
                      .height = picture.height,
                      .seen_width = layout.width,
                      .seen_height = layout.height};
  made.sample[input_.name] =
      image_tensor(resize(picture, layout.width, layout.height), input_.name, layout, rules_);
  return made;
}

std::map<std::string, std::string> PictureInputs::described() const {
  if (processor_) return {{"pictures", processor_->describe()}};
  std::string text = "the whole picture scaled to " + std::to_string(layout_.height) + "x" +
                     std::to_string(layout_.width);
  if (is_float(layout_.element))
    text += ", mean " + list_of(rules_.mean) + ", deviation " + list_of(rules_.deviation);
  return {{"pictures", text}};
}

}  // namespace hone
