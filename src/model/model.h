#pragma once
// A whole ONNX model: its graph, functions, opsets and metadata; loading and saving without copying
// a weight.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "model/graph.h"

namespace hone {

struct OpsetImport {
  std::string domain;
  std::int64_t version = 0;
  UnknownFields unknown;
};

struct Function {
  std::string domain;
  std::string name;
  std::string overload;
  std::string doc;
  std::vector<OpsetImport> opsets;
  std::vector<std::string> attribute_names;   // without a default
  std::vector<Attribute> attribute_defaults;  // with one
  std::unique_ptr<Graph> body;
  Metadata metadata;
  UnknownFields unknown;
};

struct Model {
  std::int64_t ir_version = 0;
  std::vector<OpsetImport> opsets;
  std::string producer_name;
  std::string producer_version;
  std::string domain;
  std::int64_t model_version = 0;
  std::string doc;
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::vector<Function> functions;
  Metadata metadata;
  UnknownFields unknown;
  Path source;  // the file it came from; empty when made in memory

  // The version of a domain, 0 when the model does not import it. "" and "ai.onnx" are one domain.
  std::int64_t opset(std::string_view domain_name = "") const;
  void set_opset(std::string_view domain_name, std::int64_t version);
};

// Maps the file and reads its structure. External data is mapped when it is there and checked
// against the model's folder and the file's size; a missing data file makes its tensors `absent`,
// not the load an error.
Result<Model> load_model(const Path& path);

// The same for bytes; external data is looked for below `folder`.
Result<Model> parse_model(const Blob& bytes, const Path& folder);

enum class DataPlacement {
  automatic,  // inline below 100 MiB of weights; above, in the file that lies there, else split
  keep,       // what is external stays external in a file of the same name, the rest stays inline
  inlined,    // everything inside the model file
  split,      // weights of 1 KiB and more into one data file beside the model
};

struct SaveOptions {
  DataPlacement placement = DataPlacement::automatic;
  std::string data_file;  // for split: its name; empty: "<model file name>.data"
  bool overwrite = false;
};

struct SaveReport {
  std::uint64_t model_bytes = 0;
  std::vector<Path> data_files;  // written or shared
  std::uint64_t data_bytes = 0;  // written
  bool shares_data = false;      // the data file of the source is used as it is
};

// Writes data files and the model; bytes depend on the model alone. Whenever we are killed, what is
// at `path` opens, the old model or the new one, and the next save clears away what was left.
Result<SaveReport> save_model(const Model& model, const Path& path,
                              const SaveOptions& options = {});

enum class Placing { move, copy };

// Puts a model that is whole in a folder of its own, and its data files, into another: the same
// bytes under the same names, as one as save_model does. Moving takes the files away, even where it
// fails. REQUIRES for move: both folders are on one file system.
Status place_model(const Path& made, const Path& place, Placing how, bool overwrite);

// Whether a model in the folder names this file below it as its data. One that cannot be read may.
bool is_data_of_a_model(const Path& folder, const std::string& location);

// The model as one string, external references untouched.
Result<std::string> serialize(const Model& model);

// A deep copy that shares every tensor.
Model clone(const Model& model);

// Calls `visit` for the main graph, every subgraph below it, and the function bodies (outer before
// inner).
void for_each_graph(const Model& model, const std::function<void(Graph&)>& visit);

// Calls `visit` for every tensor: initializers, sparse parts, and tensors in attributes. `holder`
// is the node, or null.
void for_each_tensor(const Model& model,
                     const std::function<void(const TensorPtr& tensor, const Node* holder)>& visit);

// Replaces tensors wherever they are held: `map` returns the tensor to hold instead (the same one
// to keep it).
void map_tensors(Model& model,
                 const std::function<TensorPtr(const TensorPtr& tensor, const Node* holder)>& map);

}  // namespace hone
