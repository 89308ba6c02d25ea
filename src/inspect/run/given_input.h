#pragma once
// What stands behind --input: "cat.png", "x=cat.png", "ids=[[101,102]]", "sr:=16000",
// "s=text:hello".

#include <string>
#include <vector>

#include "base/file.h"
#include "runtime/session.h"

namespace hone {

struct GivenInput {
  enum class Kind {
    array,    // .npy
    archive,  // .npz
    picture,  // .png, .jpg, .bmp
    sound,    // .wav
    text,     // text:...
    numbers,  // [1,2,3]
    value,    // :=16000, the same in every element
  };
  std::string input;  // its name; empty: not said
  Kind kind = Kind::array;
  std::string words;  // the file, or what was written
  // For messages and reports: the file's path, or the words, shortened.
  std::string describe() const;
};

// In the order of the words; a folder stands for the files in it, in the order of their names.
// Names are those of the ports: what stands before "=" and is none of them is refused with the
// nearest.
Result<std::vector<GivenInput>> parse_inputs(const std::vector<std::string>& words,
                                             const std::vector<Port>& ports);

// "its inputs are x: float[1,3,64,64], mask: ...": for messages.
std::string list_ports(const std::vector<Port>& ports);

}  // namespace hone
