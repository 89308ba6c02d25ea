#pragma once
// What a model is run on, one sample at a time: what was given is read and made to fit, what was
// not is made up where that is wanted.

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inspect/run/given_input.h"
#include "inspect/run/settle_shapes.h"

namespace hone {

struct RunInputsRequest {
  RunPlan plan;                    // model, input_data, shape_config, seed; samples: 0 is not said
  std::vector<std::string> words;  // of --input
  bool makes_up_rest = false;      // --random
  bool may_lose = false;           // --cast
  ImageRules images;
  bool says_scaling = false;  // the rules for pictures are the user's
  std::optional<ImageSize> image_size;
  std::optional<double> sample_rate;
  // The folder or the file of the processor that pictures and sounds go through; empty: none. Where
  // it is the user's word, there has to be one.
  Path processor;
  bool says_processor = false;
  PictureWishes wishes;  // what is said of pictures over that
  Path program;          // of workers that try sizes
};

struct FedInput {
  TensorPtr tensor;
  std::string from;
};
using FedSample = std::map<std::string, FedInput>;

class RunInputs {
 public:
  // Refuses what can be refused before a sample is made: names and options that nothing is done
  // with, inputs that are missing.
  static Result<RunInputs> open(RunInputsRequest request, const Model& model);

  // The next sample, whole; nothing at the end. A model without inputs has one sample: nothing.
  Result<std::optional<FedSample>> next();

  const std::vector<Port>& ports() const { return shapes_.ports; }
  // How many samples there are; 0 where only reading them would tell.
  std::uint64_t size() const { return files_.empty() ? count_ : 0; }
  // What was assumed or changed on the way so far, each once.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  // What one input gets in one sample.
  struct Piece {
    GivenInput given;
    TensorPtr tensor;  // null: read when its turn comes
  };

  Status take_words();
  Status find_processors(const std::vector<GivenInput>& given);
  bool follows(const Port& port) const;
  Status add_sound(const GivenInput& given, const Port& port);
  Status add_piece(const GivenInput& given, const Port& port);
  Status count_samples();
  Status refuse_idle() const;
  Status check_complete() const;
  Status refuse_missing(const Port& port) const;

  Result<std::optional<FedSample>> next_given();
  Status load_file();
  Result<FedSample> read_pieces();
  Result<FedInput> read_piece(const Piece& piece, const Port& port);
  Status complete(FedSample& sample);
  Status settle(const FedSample& sample);
  Status process_picture(const Piece& piece, const Port& port, FedSample& sample);
  Result<FedInput> read_picture(const Piece& piece, const Port& port);
  Status make_up(const std::vector<Port>& ports, FedSample& sample);

  const Piece& piece_for(const std::string& input) const;
  void note(const std::string& text);

  RunInputsRequest request_;
  ShapeRequest shapes_;
  std::map<std::string, std::vector<Piece>> pieces_;
  std::optional<Processor> of_pictures_;
  std::optional<Processor> of_sounds_;
  std::vector<Path> files_;  // of --input-data
  std::size_t next_file_ = 0;
  std::deque<FedSample> loaded_;
  std::size_t count_ = 1;
  std::size_t given_ = 0;
  SettledShapes settled_;
  std::optional<std::string> settled_for_;  // the shapes of what was given
  std::vector<std::string> notes_;
};

}  // namespace hone
