#pragma once
// What a family writes its graph with: modules, weights and layers by the names they have in the
// checkpoint, on our own graph. A layer that is the same in fifty families stands here once, in
// each of its forms; a family says what is connected to what.
//
//   Net::Scope layer = net.enter("encoder.layer.0");
//   Value* hidden = net.linear("intermediate.dense", x, width, 4 * width);
//
// reads 'bert.encoder.layer.0.intermediate.dense.weight' and makes the nodes
// '/bert/encoder/layer.0/intermediate/dense/MatMul' and '.../Add'.
//
// Nothing here fails: a weight that is missing or has another shape is noted as a problem and the
// graph goes on with one that is made up, so that all problems are known at the end.

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "checkpoint/problems.h"
#include "checkpoint/weights.h"
#include "model/model.h"

namespace hone {

// How the same layers are said.
enum class GraphForm {
  standard,        // ONNX's basic operators: runs everywhere
  contrib,         // com.microsoft's fused ones
  onnx_attention,  // Attention, RMSNormalization and RotaryEmbedding of opset 23
};

struct NetOptions {
  std::int64_t opset = 17;  // 17 and later; 23 and later for onnx_attention
  GraphForm form = GraphForm::standard;
  ElementType type = ElementType::float32;  // of what is computed: float32, float16, bfloat16
};

// A dimension of an input or output: a size, or the name of an open one.
using NetDim = std::variant<std::int64_t, std::string>;

// An attribute of a node: a whole number, a float, a word, or whole numbers.
struct NetAttribute {
  using Held = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>>;
  template <std::integral Integer>
  NetAttribute(std::string_view what, Integer value)
      : name(what), held(static_cast<std::int64_t>(value)) {}
  template <std::floating_point Float>
  NetAttribute(std::string_view what, Float value) : name(what), held(static_cast<float>(value)) {}
  NetAttribute(std::string_view what, std::string value) : name(what), held(std::move(value)) {}
  NetAttribute(std::string_view what, const char* value) : name(what), held(std::string(value)) {}
  NetAttribute(std::string_view what, std::vector<std::int64_t> value)
      : name(what), held(std::move(value)) {}

  std::string name;
  Held held;
};
using Attributes = std::vector<NetAttribute>;

struct Convolution {
  std::int64_t in = 1;
  std::int64_t out = 1;
  std::vector<std::int64_t> kernel;     // its length is the number of dimensions: 1 or 2
  std::vector<std::int64_t> stride{};   // empty: 1
  std::vector<std::int64_t> padding{};  // at both ends; empty: 0
  std::vector<std::int64_t> dilation{};
  std::vector<std::int64_t> padding_after{};  // where the end has another than the beginning
  std::int64_t groups = 1;
  bool bias = true;
  // Instead of padding: what makes ceil(size / stride) of any size, an odd one at the end.
  bool pads_to_same = false;
};

struct Attention {
  Value* query = nullptr;  // [batch, queries, heads * head_size]
  Value* key = nullptr;    // [batch, keys, kv_heads * head_size]
  Value* value = nullptr;  // [batch, keys, kv_heads * value_size]
  std::int64_t heads = 1;
  std::int64_t head_size = 1;
  std::int64_t kv_heads = 0;    // 0: as many as heads
  std::int64_t value_size = 0;  // 0: as head_size
  Value* bias = nullptr;        // added to the scores; broadcasts to [batch, heads, queries, keys]
  std::optional<double> scale{};  // of the scores; else 1 / sqrt(head_size)
  double softcap = 0;             // 0: none; else scores become softcap * tanh(scores / softcap)
  Value* past_key = nullptr;      // [batch, kv_heads, past, head_size]: comes before `key`
  Value* past_value = nullptr;
  bool keeps_present = false;  // `present_key` and `present_value` are wanted; with a past they are
  bool query_is_split = false;  // query is [batch, heads, queries, head_size] already
  bool keys_are_split = false;  // key and value are: those of a cache, to which nothing is added
};

struct Attended {
  Value* output = nullptr;         // [batch, queries, heads * value_size]
  Value* present_key = nullptr;    // [batch, kv_heads, keys, head_size], past and new
  Value* present_value = nullptr;  // both null where they are not wanted
};

class Net {
 public:
  // REQUIRES: weights and problems outlive the Net.
  Net(NetOptions options, Weights& weights, Problems& problems);

  const NetOptions& options() const { return options_; }
  GraphForm form() const { return options_.form; }
  ElementType type() const { return options_.type; }
  Weights& weights() { return weights_; }
  Problems& problems() { return problems_; }
  // The model that was written. REQUIRES: called once, at the end.
  Model finish(std::string name);

  // --- modules
  // While it lives, weights and nodes are of that module.
  class Scope {
   public:
    Scope(Net& net, std::string path);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    Net& net_;
    std::string before_;
  };
  [[nodiscard]] Scope enter(std::string_view module);
  [[nodiscard]] Scope enter(std::string_view list, std::int64_t index);  // "layer", 3
  // The module that a head's checkpoint has around the base model ("bert."), where this one has
  // it: a base model that was saved by itself has not.
  [[nodiscard]] Scope enter_base(std::string_view module);
  // Outside of all modules, whichever are entered: for a head beside the base model.
  [[nodiscard]] Scope enter_root();
  const std::string& path() const { return path_; }

  // --- inputs and outputs, in the order in which they are said
  Value* input(std::string_view name, ElementType type, const std::vector<NetDim>& dims);
  Value* float_input(std::string_view name, const std::vector<NetDim>& dims) {
    return input(name, options_.type, dims);
  }
  Value* find_input(std::string_view name);  // null where it was not said
  void output(std::string_view name, Value* value, const std::vector<NetDim>& dims);
  void output(std::string_view name, Value* value, ElementType type,
              const std::vector<NetDim>& dims);

  // --- constants. The same one is made once.
  Value* real(double number);  // of type(), a scalar
  Value* reals(const std::vector<double>& numbers, std::vector<std::int64_t> dims);  // of type()
  Value* whole(std::int64_t number);                        // int64, a scalar
  Value* wholes(const std::vector<std::int64_t>& numbers);  // int64, a list
  Value* constant(const TensorPtr& tensor);                 // under its name, made unique
  double lowest() const;  // the most negative number of type(): what masks are made of

  // --- weights, by the name within the entered module, as type(); see ../weights.h
  Value* weight(std::string_view name, const std::vector<std::int64_t>& dims);
  bool has(std::string_view name) const;         // a tensor
  bool has_module(std::string_view name) const;  // any tensor below it
  // Its numbers, for what is computed here and now. Empty where there is a problem.
  std::vector<double> numbers(std::string_view name, const std::vector<std::int64_t>& dims);
  // A weight that was computed here and now, under its name in the entered module, as type().
  // REQUIRES: as many numbers as dims say.
  Value* computed_weight(std::string_view name, const std::vector<double>& numbers,
                         std::vector<std::int64_t> dims);
  // A tensor that is known to be of no use to the graph: it is not reported as unused.
  void ignore(std::string_view name);
  // Its dimensions as it lies there; empty where it is missing (no problem).
  std::vector<std::int64_t> dims_of(std::string_view name) const;

  // --- nodes. Inputs may be null where they are optional.
  Value* op(std::string_view type, const std::vector<Value*>& inputs,
            const Attributes& attributes = {}, std::string_view domain = "");
  std::vector<Value*> ops(std::string_view type, const std::vector<Value*>& inputs,
                          std::size_t outputs, const Attributes& attributes = {},
                          std::string_view domain = "");

  Value* add(Value* a, Value* b) { return op("Add", {a, b}); }
  Value* sub(Value* a, Value* b) { return op("Sub", {a, b}); }
  Value* mul(Value* a, Value* b) { return op("Mul", {a, b}); }
  Value* div(Value* a, Value* b) { return op("Div", {a, b}); }
  Value* add(Value* a, double b) { return op("Add", {a, real(b)}); }
  Value* sub(double a, Value* b) { return op("Sub", {real(a), b}); }
  Value* mul(Value* a, double b) { return op("Mul", {a, real(b)}); }
  Value* div(Value* a, double b) { return op("Div", {a, real(b)}); }
  Value* matmul(Value* a, Value* b) { return op("MatMul", {a, b}); }
  Value* softmax(Value* x, std::int64_t axis = -1);
  Value* cast(Value* x, ElementType type);
  Value* to_float(Value* x) { return cast(x, options_.type); }
  Value* where(Value* condition, Value* yes, Value* no) {
    return op("Where", {condition, yes, no});
  }
  // 0 keeps a dimension of x, -1 takes what is left.
  Value* reshape(Value* x, const std::vector<std::int64_t>& dims);
  Value* reshape(Value* x, Value* dims);
  Value* transpose(Value* x, std::vector<std::int64_t> order);
  Value* unsqueeze(Value* x, const std::vector<std::int64_t>& axes);
  Value* squeeze(Value* x, const std::vector<std::int64_t>& axes);
  Value* concat(const std::vector<Value*>& parts, std::int64_t axis);
  std::vector<Value*> split(Value* x, const std::vector<std::int64_t>& sizes, std::int64_t axis);
  // Elements [begin, end) of an axis; `end` may be to_end.
  static constexpr std::int64_t to_end = 0x7fffffffffffffff;
  Value* slice(Value* x, std::int64_t axis, std::int64_t begin, std::int64_t end,
               std::int64_t step = 1);
  Value* slice(Value* x, std::int64_t axis, Value* begin, Value* end);  // lists of one
  Value* gather(Value* x, Value* indices, std::int64_t axis = 0);
  Value* pick(Value* x, std::int64_t axis, std::int64_t index);  // one element; the axis goes
  Value* expand(Value* x, Value* dims);
  Value* shape_of(Value* x);
  Value* size_of(Value* x, std::int64_t axis);  // a list of one
  // A shape of sizes and lists of one, for reshape() and expand().
  Value* dims(const std::vector<std::variant<std::int64_t, Value*>>& parts);
  Value* range(Value* begin, Value* end);  // scalars
  Value* count_up(Value* size);            // [0, 1, ... size - 1] of a list of one
  Value* mean(Value* x, const std::vector<std::int64_t>& axes, bool keeps = true);
  Value* sum(Value* x, const std::vector<std::int64_t>& axes, bool keeps = true);
  Value* maximum(Value* x, const std::vector<std::int64_t>& axes, bool keeps = true);
  // `before` and `after` of each dimension, with zeros.
  Value* pad(Value* x, const std::vector<std::int64_t>& before,
             const std::vector<std::int64_t>& after);
  // x / sqrt(sum of squares) along the axis.
  Value* l2_normalize(Value* x, std::int64_t axis = -1, double epsilon = 0);
  // To a shape's last two sizes (a list of two), as torch's interpolate does it.
  enum class Interpolation { nearest, bilinear, bicubic };
  Value* resize(Value* x, Value* height_width, Interpolation how, bool align_corners = false);

  // --- layers, by the name of their module
  // x times the transposed [out, in] weight, plus the bias.
  Value* linear(std::string_view module, Value* x, std::int64_t in, std::int64_t out,
                bool bias = true);
  // The same with the weight [in, out] as it lies (gpt2's Conv1D).
  Value* linear_as_it_lies(std::string_view module, Value* x, std::int64_t in, std::int64_t out,
                           bool bias = true);
  // x times the transpose of a weight that another module has: tied heads.
  Value* times_transposed(Value* x, Value* weight);
  Value* embedding(std::string_view module, Value* ids, std::int64_t count, std::int64_t width);
  Value* layer_norm(std::string_view module, Value* x, std::int64_t width, double epsilon,
                    bool bias = true);
  // Of a sum, which the fused form does in one node. `sum`, where it is wanted, gets x + residual.
  Value* add_layer_norm(std::string_view module, Value* x, Value* residual, std::int64_t width,
                        double epsilon, Value** sum = nullptr);
  // x / sqrt(mean(x * x) + epsilon) * (weight + offset), computed in float32.
  Value* rms_norm(std::string_view module, Value* x, std::int64_t width, double epsilon,
                  double offset = 0);
  // Of a sum, as add_layer_norm().
  Value* add_rms_norm(std::string_view module, Value* x, Value* residual, std::int64_t width,
                      double epsilon, double offset = 0, Value** sum = nullptr);
  Value* convolution(std::string_view module, Value* x, const Convolution& conv);
  // `output_padding` as torch's ConvTranspose has it.
  Value* transposed_convolution(std::string_view module, Value* x, const Convolution& conv,
                                const std::vector<std::int64_t>& output_padding = {});
  Value* batch_norm(std::string_view module, Value* x, std::int64_t channels,
                    double epsilon = 1e-5);
  Value* group_norm(std::string_view module, Value* x, std::int64_t groups, std::int64_t channels,
                    double epsilon = 1e-5, std::size_t spatial = 2);
  Value* max_pool(Value* x, std::vector<std::int64_t> kernel, std::vector<std::int64_t> stride,
                  std::vector<std::int64_t> padding = {}, bool ceil = false);
  Value* average_pool(Value* x, std::vector<std::int64_t> kernel, std::vector<std::int64_t> stride,
                      std::vector<std::int64_t> padding = {});
  // By its name in transformers ("gelu", "gelu_new", "quick_gelu", "silu", ...); `key` is the
  // switch that says it, for the problem where nobody knows it.
  Value* activation(std::string_view name, Value* x, std::string_view key = "hidden_act");
  Value* gelu(Value* x);
  Value* sigmoid(Value* x) { return op("Sigmoid", {x}); }

  Attended attention(const Attention& attention);
  // [batch, length, heads * size] to [batch, heads, length, size], and back.
  Value* split_heads(Value* x, std::int64_t heads, std::int64_t size);
  Value* join_heads(Value* x, std::int64_t heads, std::int64_t size);
  // Of a mask [batch, keys] of ones and zeros: 0 where it is one, lowest() where it is zero, as
  // [batch, 1, 1, keys].
  Value* padding_bias(Value* mask);
  // [1, 1, queries, keys]: 0 where a query may look, lowest() at what comes after it. `past` (a
  // list of one, or null) is how many keys come before the first query. `window`: how far back it
  // sees, itself included; 0: all.
  Value* causal_bias(Value* queries, Value* past, std::int64_t window = 0);
  // Both, as transformers makes them of an attention mask that may be null.
  Value* join_biases(Value* a, Value* b);

 private:
  Value* add_constant(const std::string& key, const TensorPtr& tensor);
  Value* made_up();
  TensorPtr take(std::string_view name, const std::vector<std::int64_t>& dims);
  std::string name_node(std::string_view type);
  Value* reduce(std::string_view type, Value* x, const std::vector<std::int64_t>& axes, bool keeps);
  Value* raw_weight(std::string_view name, const std::vector<std::int64_t>& dims);
  Value* repeat_heads(Value* x, const Attention& attention);
  Value* full_bias(const Attention& attention);
  std::string full(std::string_view name) const;
  Attended attend_standard(const Attention& attention);
  Attended attend_contrib(const Attention& attention);
  Attended attend_onnx(const Attention& attention);

  NetOptions options_;
  Weights& weights_;
  Problems& problems_;
  Model model_;
  std::string path_;  // of the entered modules: "bert.encoder.layer.0", or empty
  std::map<std::string, Value*, std::less<>> constants_;
  std::map<std::string, Value*, std::less<>> used_weights_;
  std::map<std::string, int, std::less<>> node_names_;
};

}  // namespace hone
