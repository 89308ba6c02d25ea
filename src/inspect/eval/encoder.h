#pragma once
// Rows of data as inputs of a model: texts through its tokenizer, pictures and sound from files. A
// task's file has its Encoder; what several of them share is in inputs.h.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inspect/eval/image_file.h"
#include "inspect/eval/task.h"
#include "record/eval.h"
#include "runtime/samples.h"

namespace hone {

namespace tokenize {
class Tokenizer;
}

struct LabelledSample {
  Sample sample;
  Json label;             // null where there is none
  std::uint64_t row = 0;  // of the data; several samples may be of one
};

// What classes are called, by the model and by the data.
class ClassNames {
 public:
  ClassNames() = default;
  // `renamed`: what the data says, and the model's name or number for it.
  ClassNames(std::vector<std::string> names, std::map<std::string, std::string> renamed)
      : names_(std::move(names)), renamed_(std::move(renamed)) {}

  // A number is one; a text is a name of the model's (in any case of letters), or a number.
  Result<std::uint64_t> number_of(const Json& label) const;
  // The number itself where the class has no name.
  std::string name_of(std::uint64_t number) const;
  const std::vector<std::string>& names() const { return names_; }
  // Adds what was not said before.
  void rename(const std::map<std::string, std::string>& renamed) {
    renamed_.insert(renamed.begin(), renamed.end());
  }

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::string> renamed_;
};

struct EncoderSettings {
  std::vector<Port> inputs;
  ImageRules images{};
  // What pictures or sound go through instead; none: the rules.
  std::optional<Processor> processor{};
  ClassNames classes{};
  // Null where the model has none: a task of text then says so.
  std::shared_ptr<const tokenize::Tokenizer> tokenizer{};
  std::size_t max_length = 0;  // of tokens; 0: what the model and its tokenizer take
  std::size_t stride = 128;    // tokens that two windows share
  Path folder{};               // where paths in rows begin
  // zero-shot-classification: what is asked of a text for each class, {} being its name.
  std::string hypothesis = "This example is {}.";
};

class Encoder {
 public:
  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;

  // All samples of a row. An error is the row's.
  virtual Result<std::vector<LabelledSample>> encode(const Json& row) = 0;
  // How rows become inputs.
  virtual std::map<std::string, std::string> described() const = 0;
};

}  // namespace hone
