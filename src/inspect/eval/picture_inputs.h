#pragma once
// Pictures of rows as inputs of a model, and where in the picture a place of the input is.

#include "inspect/eval/encoder.h"

namespace hone {

struct EncodedPicture {
  Sample sample;
  // Of the picture in its file, and of what the model sees.
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t seen_width = 0;
  std::size_t seen_height = 0;
};

class PictureInputs {
 public:
  // An error where the model takes no picture.
  static Result<PictureInputs> open(const EncoderSettings& settings);

  // Where the model takes any size, pictures stay as large as they are.
  void keep_size() { keeps_size_ = true; }

  // An error where a place of the input is no place of the whole picture: it was cut or filled up.
  Status check_places() const;

  // The picture that a column of the row names.
  Result<EncodedPicture> encode(const Json& row, std::string_view column) const;
  // Its file.
  Result<Path> file_in(const Json& row, std::string_view column) const;
  std::map<std::string, std::string> described() const;

 private:
  Result<EncodedPicture> process(const Path& file) const;

  Port input_;
  std::optional<Port> mask_;
  ImageRules rules_;
  ImageLayout layout_;
  std::optional<Processor> processor_;
  Path folder_;
  bool keeps_size_ = false;
};

}  // namespace hone
