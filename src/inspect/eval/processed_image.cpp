#include <algorithm>

#include "base/text.h"
#include "inspect/eval/image_file.h"
#include "model/elements.h"
#include "runtime/samples.h"

namespace hone {
namespace {

constexpr std::size_t colours = 3;

// [1,3,H,W] or [1,H,W,3], or the same without the first.
struct Form {
  std::vector<std::int64_t> dims;
  bool channels_last = false;
};

Form form_of(const Type& type, const PictureSize& size) {
  const auto height = static_cast<std::int64_t>(size.height);
  const auto width = static_cast<std::int64_t>(size.width);
  const bool is_known = type.is_tensor() && type.shape && type.shape->size() >= colours;
  const std::size_t rank = is_known ? type.shape->size() : 4;
  const auto is_colours = [&](std::size_t axis) { return (*type.shape)[axis].value == colours; };
  Form form;
  form.channels_last = is_known && !is_colours(rank - 3) && is_colours(rank - 1);
  if (rank == 4) form.dims.push_back(1);
  if (!form.channels_last) form.dims.push_back(colours);
  form.dims.insert(form.dims.end(), {height, width});
  if (form.channels_last) form.dims.push_back(colours);
  return form;
}

std::vector<double> in_form(const PreparedPicture& picture, bool channels_last) {
  std::vector<double> numbers(picture.values.begin(), picture.values.end());
  if (!channels_last) return numbers;
  const std::size_t plane = picture.size.height * picture.size.width;
  for (std::size_t pixel = 0; pixel < plane; ++pixel) {
    for (std::size_t colour = 0; colour < colours; ++colour)
      numbers[pixel * colours + colour] = picture.values[colour * plane + pixel];
  }
  return numbers;
}

TensorPtr make_mask(const PreparedPicture& picture) {
  std::string bytes(reinterpret_cast<const char*>(picture.mask.data()),
                    picture.mask.size() * sizeof(std::int64_t));
  return make_tensor(pixel_mask_name, ElementType::int64,
                     {1, static_cast<std::int64_t>(picture.size.height),
                      static_cast<std::int64_t>(picture.size.width)},
                     Blob::own(std::move(bytes)));
}

Failure does_not_fit(const Port& input, const std::string& made, const Processor& processor) {
  return fail(Fault::bad_input,
              "the input '" + printable(input.name) + "' does not take what " +
                  printable(processor.file) + " makes of a picture",
              "it takes " + to_string(input.type) + ", and that is " + made,
              "--image-size resizes to what it takes, --processor none goes without that file");
}

}  // namespace

Result<ProcessedImage> process_image(const Path& file, const Port& input,
                                     const Processor& processor) {
  const PicturePlan& plan = *processor.picture();
  HONE_TRY(const Image image, read_image(file, colours));
  HONE_TRY(const PreparedPicture picture, prepare_picture(plan, image));
  const Form form = form_of(input.type, picture.size);
  const bool takes_numbers = input.type.is_tensor() && holds_numbers(input.type.element) &&
                             (is_float(input.type.element) ||
                              (plan.keeps_bytes && input.type.element != ElementType::int8));
  const ElementType element = takes_numbers ? input.type.element : ElementType::float32;
  if (!takes_numbers || !takes_shape(input.type, form.dims))
    return does_not_fit(input, to_string(Type::tensor(element, shape_of(form.dims))), processor);
  const std::vector<double> numbers = in_form(picture, form.channels_last);
  std::string bytes(*bytes_of(element, numbers.size()), '\0');
  encode_elements(element, numbers, bytes.data());
  ProcessedImage made;
  made.picture = make_tensor(input.name, element, form.dims, Blob::own(std::move(bytes)));
  if (!picture.mask.empty()) made.mask = make_mask(picture);
  return made;
}

}  // namespace hone
