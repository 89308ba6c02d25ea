#pragma once
// A network that writes a token at a time: a decoder with caches, or an encoder and its decoders.
// What a step leaves for the next one stays where ONNX Runtime made it: it is bound as it is, and
// nothing of it goes through our memory.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "generate/ports.h"
#include "generate/scorer.h"
#include "runtime/stepping.h"

namespace hone {

struct OpenPart {
  std::string part;  // "model", "encoder_model", "decoder_model", ...
  Session session;
};

class Network : public Scorer {
 public:
  // Which parts there are says how it runs: an encoder or none, and one decoder for all steps (a
  // model of its own, a merged one) or one for the first and one for those after it. `picks_rows`:
  // caches are kept on the host, where take_rows() can sort them.
  static Result<std::unique_ptr<Network>> open(std::shared_ptr<Runtime> runtime,
                                               std::vector<OpenPart> parts, bool picks_rows);

  bool has_encoder() const { return encoder_ != nullptr; }
  // What the encoder takes. REQUIRES: has_encoder().
  const std::vector<Port>& source_ports() const { return encoder_->session.inputs(); }
  const std::vector<std::string>& part_names() const { return part_names_; }

  // How many tokens it knows, by its logits.
  Result<std::uint64_t> vocabulary() const;
  // By how much the caches of a row grow with a token. REQUIRES: it has run.
  Result<std::uint64_t> cache_bytes_per_token() const;

  // Before start(): runs the encoder. REQUIRES: has_encoder().
  Status encode(const NamedTensors& source);

  Result<Scores*> start(const TokenRows& prompt) override;
  Result<Scores*> go_on(std::span<const std::int64_t> tokens) override;
  Status take_rows(std::span<const std::size_t> rows) override;

 private:
  struct Part {
    Part(Session opened, DecoderPorts of) : session(std::move(opened)), ports(std::move(of)) {}
    Session session;  // before what runs it
    DecoderPorts ports;
    std::unique_ptr<Stepping> stepping;
  };
  // Tokens and what is said of them, for one run.
  struct Step {
    std::size_t length = 0;
    std::vector<std::int64_t> ids;
    std::vector<std::int64_t> positions;
    bool is_first = true;
  };

  Network(std::shared_ptr<Runtime> runtime, bool picks_rows)
      : runtime_(std::move(runtime)), picks_rows_(picks_rows) {}
  Status add(OpenPart part);
  Status open_encoder(OpenPart part);
  Status check_parts() const;
  Status check_caches(const Part& first, const Part& next) const;
  Result<TensorPtr> input_of(const DecoderInput& input, const Step& step) const;
  Status feed(Part& part, const Step& step);
  Status bind(Part& part, const DecoderInput& input, const TensorPtr& tensor);
  Status run(const Step& step);
  Status keep_caches(Part& part, bool is_first);
  Status read_scores(const Part& part, const ort::OrtValue& logits);

  std::shared_ptr<Runtime> runtime_;
  bool picks_rows_;
  std::vector<std::string> part_names_;
  std::unique_ptr<Part> encoder_;
  std::unique_ptr<Part> decoder_;  // of all steps, or of the first
  std::unique_ptr<Part> next_;     // of those after it; null: the same

  std::size_t rows_ = 0;
  std::size_t length_ = 0;                    // of what was read
  std::vector<std::int64_t> mask_;            // [rows, length]
  std::vector<std::int64_t> next_places_;     // of each row
  TensorPtr source_mask_;                     // null: the encoder takes none
  std::vector<OrtTensor> fed_;                // what this step has bound of our memory
  std::vector<Owned<ort::OrtValue>> states_;  // of the encoder: one, or none
  std::map<std::string, Owned<ort::OrtValue>> caches_;
  Scores scores_;
};

}  // namespace hone
