#include "inspect/coverage/specimens.h"

#include "base/text.h"
#include "model/text/text.h"

namespace hone {
namespace {

const std::vector<std::string> types = {"float",  "float16", "bfloat16", "double", "int8",
                                        "int16",  "int32",   "int64",    "uint8",  "uint16",
                                        "uint32", "uint64",  "bool"};
const std::vector<std::string> indices = {"int64", "int32"};
const std::vector<std::string> bytes = {"uint8", "int8"};
const std::vector<std::string> quantized = {"uint8", "int8", "uint16", "int16"};

bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

// Replaces T, I and #I where they stand as words.
std::string filled(std::string_view text, std::string_view type, std::string_view second) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool alone =
        (i == 0 || !is_word(text[i - 1])) && (i + 1 == text.size() || !is_word(text[i + 1]));
    if (text[i] == '#' && text.substr(i).starts_with("#I")) {
      result += std::to_string(static_cast<int>(*element_type_named(second)));
      ++i;
    } else if (alone && (text[i] == 'T' || text[i] == 'I')) {
      result += text[i] == 'T' ? type : second;
    } else {
      result += text[i];
    }
  }
  return result;
}

void add_each(std::vector<Specimen>& specimens, std::string_view ops, const Specimen& form) {
  for (const std::string& op : split(ops, ' ')) {
    Specimen specimen = form;
    specimen.node.replace(specimen.node.find("OP"), 2, op);
    specimens.push_back(std::move(specimen));
  }
}

std::vector<Specimen> make_all() {
  std::vector<Specimen> all = {
#include "inspect/coverage/specimens.inc"
  };
  add_each(all,
           "Abs Acos Acosh Asin Asinh Atan Atanh Ceil Celu Cos Cosh Elu Erf Exp Floor Gelu "
           "HardSigmoid HardSwish Identity IsInf IsNaN LeakyRelu Log LogSoftmax Hardmax Mish Neg "
           "NonZero Not Reciprocal Relu Round Selu Shape Shrink Sigmoid Sign Sin Sinh Size Softmax "
           "Softplus Softsign Sqrt Tan Tanh ThresholdedRelu Flatten GlobalAveragePool "
           "GlobalMaxPool GlobalLpPool Dropout BitwiseNot com.microsoft.Gelu "
           "com.microsoft.QuickGelu com.microsoft.FastGelu",
           {"T[1,2,3,4] a", "", "y = OP(a)"});
  add_each(all,
           "Add And Equal Greater GreaterOrEqual Less LessOrEqual Max Mean Min Mul Or Pow "
           "PRelu Sub Sum Xor BitwiseAnd BitwiseOr BitwiseXor",
           {"T[1,2,3,4] a, T[1,2,3,4] b", "", "y = OP(a, b)"});
  add_each(all, "Mod", {"T[1,2,3,4] a", "T[1] b = {2}", "y = OP<fmod = 1>(a, b)"});
  const std::string reductions =
      "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
      "ReduceSumSquare";
  add_each(all, reductions, {"T[1,2,3,4] a", "", "y = OP<axes = [1]>(a)", 1, 17});
  add_each(all, reductions, {"T[1,2,3,4] a", "int64[1] axes = {1}", "y = OP(a, axes)", 18});
  return all;
}

}  // namespace

const std::vector<Specimen>& all_specimens() {
  static const std::vector<Specimen> specimens = make_all();
  return specimens;
}

std::span<const std::string> probed_types() { return types; }

Result<Model> make_specimen(const Specimen& specimen, std::int64_t opset, std::string_view type,
                            std::string_view second) {
  const std::string& node = specimen.node;
  std::string text = "<ir_version: 10, opset_import: [\"\" : " + std::to_string(opset) +
                     ", \"com.microsoft\" : 1]>\none (" + specimen.inputs + ") => (" +
                     node.substr(0, node.find('=')) + ")\n";
  if (!specimen.constants.empty()) text += "<" + specimen.constants + ">\n";
  return parse_text(filled(text + "{ " + node + " }", type, second));
}

}  // namespace hone
