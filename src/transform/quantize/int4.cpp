#include "transform/quantize/int4.h"

#include <bit>
#include <map>

#include "base/misuse.h"
#include "base/text.h"
#include "model/edit.h"

namespace hone {
namespace {

Status check(const Int4Options& options) {
  const std::int64_t size = options.block_size;
  if (size < 16 || size > 256 || !std::has_single_bit(static_cast<std::uint64_t>(size))) {
    return misuse("a block of " + std::to_string(size) + " elements is not possible",
                  "16, 32, 64, 128 and 256 are");
  }
  if (options.accuracy_level < 0 || options.accuracy_level > 4) {
    return misuse("there is no accuracy level " + std::to_string(options.accuracy_level),
                  "0 leaves it to the kernel; 1 is float, 2 float16, 3 bfloat16, 4 int8");
  }
  return done();
}

// The initializers that take the place of one weight.
struct Quantized {
  Value* values = nullptr;
  Value* scales = nullptr;
  Value* zero_points = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

class Int4Quantizer {
 public:
  Int4Quantizer(Model& model, const Int4Options& options) : rewriter_(model), options_(options) {}

  Result<Int4Report> run() {
    for (const ConstantMatMul& matmul : find_constant_matmuls(rewriter_, options_.takes)) {
      if (std::string reason = why_not(*matmul.tensor, matmul.transposed); !reason.empty()) {
        rewriter_.decline(*matmul.node, std::move(reason));
        continue;
      }
      HONE_TRY(const Quantized* weight, quantized(matmul));
      replace(matmul, *weight);
    }
    if (report_.matmuls > 0) rewriter_.need_domain("com.microsoft");
    Graph& graph = *rewriter_.model().graph;
    remove_dead_nodes(graph);
    remove_unused_initializers(graph);
    report_.left_alone = rewriter_.take_declined();
    return std::move(report_);
  }

 private:
  // A block is stored whole, so a weight of a few rows may take more bytes than before.
  std::string why_not(const Tensor& tensor, bool transposed) const {
    if (tensor.dims.size() != 2) {
      return "its weight has " + std::to_string(tensor.dims.size()) + " dimensions";
    }
    const std::int64_t rows = tensor.dims[transposed ? 1 : 0];
    const std::int64_t blocks = (rows - 1) / options_.block_size + 1;
    const std::int64_t column_bytes = blocks * (options_.block_size / 2 + 4);
    if (column_bytes >= rows * bits_of(tensor.type) / 8) {
      return "blocks of " + std::to_string(options_.block_size) + " would make its weight of " +
             std::to_string(rows) + " rows larger";
    }
    return {};
  }

  Result<const Quantized*> quantized(const ConstantMatMul& matmul) {
    const auto key = std::pair(matmul.weight, matmul.transposed);
    if (const auto known = made_.find(key); known != made_.end()) return &known->second;
    const Tensor& tensor = *matmul.tensor;
    HONE_TRY(Int4Weight packed,
             pack_int4(tensor, matmul.transposed, options_.block_size, options_.symmetric));
    ++report_.weights;
    report_.bytes_before += tensor.byte_size();
    const std::int64_t blocks = (packed.rows - 1) / options_.block_size + 1;
    const std::string& name = matmul.weight->name();
    Quantized weight{.rows = packed.rows, .columns = packed.columns};
    weight.values =
        &add(matmul, name + "_Q4", ElementType::uint8,
             {packed.columns, blocks, options_.block_size / 2}, std::move(packed.values));
    weight.scales = &add(matmul, name + "_scales", tensor.type, {packed.columns, blocks},
                         std::move(packed.scales));
    if (!options_.symmetric) {
      weight.zero_points = &add(matmul, name + "_zero_points", ElementType::uint8,
                                {packed.columns, (blocks + 1) / 2}, std::move(packed.zero_points));
    }
    return &made_.emplace(key, weight).first->second;
  }

  // In the graph of the weight, so that every graph that saw the weight sees it.
  Value& add(const ConstantMatMul& matmul, std::string name, ElementType type,
             std::vector<std::int64_t> dims, std::string bytes) {
    report_.bytes_after += bytes.size();
    return matmul.weight->graph().add_initializer(
        make_tensor(std::move(name), type, std::move(dims), Blob::own(std::move(bytes))));
  }

  void replace(const ConstantMatMul& matmul, const Quantized& weight) {
    Node& node = *matmul.node;
    std::vector<Value*> inputs = {node.input(0), weight.values, weight.scales};
    if (weight.zero_points != nullptr) inputs.push_back(weight.zero_points);
    Value& product = node.graph().add_value(node.output(0)->name() + "_MatMul");
    Node& made = node.graph().insert_before(node, "MatMulNBits", std::move(inputs), {&product});
    made.domain = "com.microsoft";
    if (!node.name.empty()) made.name = node.name + "_Q4";
    made.metadata = node.metadata;
    made.set_attribute(make_attribute("K", weight.rows));
    made.set_attribute(make_attribute("N", weight.columns));
    made.set_attribute(make_attribute("bits", std::int64_t{4}));
    made.set_attribute(make_attribute("block_size", options_.block_size));
    if (options_.accuracy_level != 0) {
      made.set_attribute(make_attribute("accuracy_level", options_.accuracy_level));
    }
    put_in_place(matmul, made);
    ++report_.matmuls;
  }

  Rewriter rewriter_;
  const Int4Options& options_;
  Int4Report report_;
  std::map<std::pair<const Value*, bool>, Quantized> made_;
};

}  // namespace

Result<Int4Report> quantize_int4(Model& model, const Int4Options& options) {
  HONE_TRY_DO(check(options));
  return Int4Quantizer(model, options).run();
}

}  // namespace hone
