// Texts that are refused, each with the message a person reads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/text/text.h"

namespace hone {
namespace {

using testing::HasSubstr;

struct Row {
  std::string_view text;
  std::string_view message;     // behind "line L, column C of the model text: "
  std::string_view place = {};  // checked where it is given
};

void expect_errors(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    const auto model = parse_text(row.text);
    ASSERT_FALSE(model) << row.text;
    EXPECT_EQ(model.error().fault, Fault::bad_input);
    const std::string rest = " of the model text: " + std::string(row.message);
    if (row.place.empty()) {
      EXPECT_THAT(model.error().what, testing::EndsWith(rest)) << row.text;
    } else {
      EXPECT_EQ(model.error().what, std::string(row.place) + rest) << row.text;
    }
  }
}

TEST(TextErrors, NameTheLineAndTheColumnInCharacters) {
  expect_errors({
      {"g (x) => (y) {\n  y = Relu[x)\n}", "expected '(' before the inputs of a node, found '['",
       "line 2, column 11"},
      {"g (x) => (y) { # \xc3\xa4\n  \"\xc3\xa4\xc3\xb6\" + }",
       "this character has no meaning here (names that hold it stand in quotes): '+'",
       "line 2, column 8"},
      {"", "expected the name of a graph, found the end of the text", "line 1, column 1"},
      {"g () => () {\n",
       "expected '=' or ',' after the outputs of a node, found the end of the text",
       "line 2, column 1"},
  });
}

TEST(TextErrors, SayWhatAGraphLacks) {
  expect_errors({
      {"g x", "expected '(' before a list of values, found 'x'", "line 1, column 3"},
      {"g (x y)", "expected ')' or ',' after a value, found 'y'"},
      {"g (float)", "expected the name of a value, found ')'"},
      {"g (x) -> (y)", "a number must follow the '-': '-'"},
      {"g (x) = (y)", "expected '=>' after the inputs, found '='"},
      {"g () => () <w = 1> {}", "data needs a tensor type such as float[2]", "line 1, column 13"},
      {"g () => () { y = (x) }", "expected an op type, found '('"},
      {"g () => () { y = a.(x) }", "expected an op type after '.', found '('"},
      {"g () => () { y = a: (x) }", "expected the name of an overload, found '('"},
      {"g () => () { [ = A() }", "expected the name of a node, found '='"},
      {"g () => () { [n = A() }", "expected ']' after the name of a node, found '='"},
      {"g () => () { y = A(x z) }", "expected ')' or ',' after the inputs of a node, found 'z'"},
      {"g () => () {} +",
       "this character has no meaning here (names that hold it stand in quotes): '+'"},
      {"g () => () {} 3", "expected the name of a function, found '3'"},
      {"g () => () {} f () => (y) <float w = {1}> {}", "a function cannot hold an initializer",
       "line 1, column 34"},
  });
}

TEST(TextErrors, NameTheSecondDefinitionOfAValue) {
  expect_errors({
      {"g (x, x) => () {}", "the value 'x' is defined twice", "line 1, column 7"},
      {"g () => () { y = A()\ny = B() }", "the value 'y' is defined twice", "line 2, column 1"},
      {"g () => () { y, y = A() }", "the value 'y' is defined twice", "line 1, column 17"},
      {"g (y) => () { y = A() }", "the value 'y' is defined twice", "line 1, column 15"},
      {"g () => () <float y = {1}> { y = A() }", "the value 'y' is defined twice"},
      {"g () => () <float y = {1}, float y = {1}> {}", "the value 'y' is defined twice"},
      {"g (float y = {1}) => () <float y = {1}> {}", "the value 'y' is defined twice"},
      {"g (float y) => () <float y = {1}, float y = {1}> {}", "the value 'y' is defined twice"},
  });
}

TEST(TextErrors, ListTheKeysAHeaderMayHold) {
  expect_errors({
      {"<ir_versoin: 10> g () => () {}",
       "expected one of ir_version, opset_import, producer_name, producer_version, domain, "
       "model_version, "
       "doc_string, metadata_props, found 'ir_versoin'",
       "line 1, column 2"},
      {"<ir_version 10>", "expected ':' after 'ir_version', found '10'"},
      {"<ir_version: 1, ir_version: 2>", "'ir_version' is said twice", "line 1, column 17"},
      {"<ir_version: 1.5>", "expected a version of the format, found '1.5'"},
      {"<ir_version: 1 g", "expected '>' or ',' after a value, found 'g'"},
      {"<model_version: \"\">", "expected a version of the model, found '\"\"'"},
      {"<domain: d>", "expected a text in quotes, found 'd'"},
      {"<opset_import: 1>", "expected '[' before a list of \"domain\" : version, found '1'"},
      {"<opset_import: [ai: 1]>", "expected a domain in quotes, found 'ai'"},
      {"<opset_import: [\"\" 1]>", "expected ':' after a domain, found '1'"},
      {"<opset_import: [\"\": x]>", "expected an opset version, found 'x'"},
      {"<opset_import: [\"\": 1>", "expected ']' or ',' after an opset version, found '>'"},
      {"<metadata_props: {}>", R"(expected '[' before a list of "key": "value", found '{')"},
      {"<metadata_props: [a]>", "expected a key in quotes, found 'a'"},
      {"<metadata_props: [\"a\"]>", "expected ':' after a key, found ']'"},
      {"<metadata_props: [\"a\": 1]>", "expected a value in quotes, found '1'"},
      {R"(<metadata_props: ["a": "1"}>)", "expected ']' or ',' after a value, found '}'"},
      {"g () => () {} <ir_version: 1> f () => () {}",
       "expected one of domain, overload, opset_import, doc_string, metadata_props, found "
       "'ir_version'"},
      {"g () => () {} f <1> () => () {}", "expected the name of an attribute, found '1'"},
      {"g () => () {} f <a b> () => () {}",
       "expected '=' before the value of an attribute, found 'b'"},
      {"g () => () !<name: 1> {}", "expected one of doc_string, metadata_props, found 'name'"},
      {"g (float !<doc_string: \"\"> x)", "expected one of denotation, found 'doc_string'"},
      {"g () => () ! {}", "expected '<' before a list of keys and values, found '{'"},
  });
}

TEST(TextErrors, SayWhatATypeLacks) {
  expect_errors({
      {"g (float[1.5] x)", "expected a dimension (a number, a name or '?'), found '1.5'"},
      {"g (float[N M] x)", "expected ']' or ',' after a dimension, found 'M'"},
      {"g (seq x)", "expected '(' after 'seq', found 'x'"},
      {"g (seq(x) y)", "expected a type, found 'x'"},
      {"g (seq(float y)", "expected ')' after the arguments of 'seq', found 'y'"},
      {"g (map(x, float) y)", "expected the element type of a map's keys, found 'x'"},
      {"g (map(int64) y)", "expected ',' after the key type of a map, found ')'"},
      {"g (sparse_tensor(seq(float)) y)",
       "expected an element type such as float or int64, found 'seq'"},
      {"g (opaque(1) y)", "expected a name, found '1'"},
      {"g (opaque(a.) y)", "expected a name after '.', found ')'"},
      {"g (float[99999999999999999999] y)",
       "99999999999999999999 is not a dimension (-9223372036854775808 to 9223372036854775807)"},
  });
}

TEST(TextErrors, SayWhatIsWrongWithTensorData) {
  const auto with = [](std::string_view initializer) {
    return "g () => () <" + std::string(initializer) + "> {}";
  };
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"float[] w = {1}",
       "the shape of a tensor with data must be known: 'float' is a scalar, '[]' unknown"},
      {"float[N] w = {1}", "the dimensions of a tensor with data are numbers from 0 on"},
      {"float[-1] w = {}", "the dimensions of a tensor with data are numbers from 0 on"},
      {"float[4294967296,4294967296,2] w = {}", "the size of this tensor does not fit 64 bits"},
      {"float[4611686018427387904] w = {1}", "the size of this tensor does not fit 64 bits"},
      {"float[1000000000000] w = {1}",
       "the tensor ends after 1 of the 1000000000000 elements of its shape"},
      {"float[2] w = {1}", "the tensor ends after 1 of the 2 elements of its shape"},
      {"float[2] w = {}", "the tensor ends after 0 of the 2 elements of its shape"},
      {"float[2] w = {1, 2, 3}", "the tensor holds more than the 2 elements of its shape"},
      {"float[2] w = {1, }", "expected a number, found '}'"},
      {"float[2] w = {1 2}", "expected '}' or ',' after an element, found '2'"},
      {"float[2] w = 1", "expected '{' before the elements of a tensor, found '1'"},
      {"float[1] w = {\"1\"}", "expected a number, found '\"1\"'"},
      {"float[1] w = {1e39}", "the number 1e39 is out of the range of float"},
      {"double[1] w = {1e999}", "the number 1e999 is out of the range of double"},
      {"float16[1] w = {65505.0}", "the number 65505.0 is out of the range of float16"},
      {"float16[1] w = {65536}", "65536 is not the bit pattern of a float16 (0 to 65535)"},
      {"float8e5m2[1] w = {1.0}", "expected the bit pattern of a float8e5m2, found '1.0'"},
      {"uint8[1] w = {256}", "256 is not an element of uint8 (0 to 255)"},
      {"uint8[1] w = {-1}", "-1 is not an element of uint8 (0 to 255)"},
      {"int4[1] w = {8}", "8 is not an element of int4 (-8 to 7)"},
      {"int32[1] w = {1.0}", "expected an element of int32, found '1.0'"},
      {"uint64[1] w = {-1}", "the number -1 is out of the range of uint64"},
      {"uint64[1] w = {x}", "expected an element of uint64, found 'x'"},
      {"complex64[1] w = {1}", "expected ',' before the imaginary part, found '}'"},
      {"string[1] w = {1}", "expected an element in quotes, found '1'"},
      {"undefined[1] w = {1}", "elements of type undefined cannot be read"},
      {"seq(float) w = {1}", "data needs a tensor type such as float[2]"},
      {"float[1] w = {nan(1)}", "expected the bits of a NaN, as in nan(0x7fc00001), found '1'"},
      {"float[1] w = {nan(0x3f800000)}", "0x3f800000 is not the bit pattern of a nan"},
      {"float[1] w = {nan(0x7fffffffffff)}", "0x7fffffffffff is not the bit pattern of a nan"},
      {"float[1] w = {-nan(0x7fc00001)}", "0x7fc00001 is not the bit pattern of a -nan"},
      {"float[1] w = {nan(0x7fc00001}", "expected ')' after the bits of a NaN, found '}'"},
      {"float[1] w = {1e}", "this number has an exponent without digits: '1e'"},
      {"float[1] w = {12ab}",
       "this is neither a number nor a name (such names stand in quotes): '12ab'"},
      {R"(float[1] w = ["offset": "0"])", "external data needs a \"location\""},
      {R"(float[1] w = ["location": "w", "offset": "x"])",
       "the offset of external data is not a byte count"},
      {R"(float[1] w = ["location": "w", "length": "5"])",
       "external data of 5 bytes for a tensor of 4"},
      {"sparse_tensor(float[4]) w = {int8[1] {1}, int64[1] {0}}",
       "a sparse tensor of float has values of int8"},
      {"sparse_tensor(float[4]) w = {float[1] {1}}",
       "expected ',' between the values and the indices of a sparse tensor, found '}'"},
  };
  for (const auto& [initializer, message] : rows) expect_errors({{with(initializer), message}});
}

TEST(TextErrors, SayWhatIsWrongWithAnAttribute) {
  const auto with = [](std::string_view attribute) {
    return "g () => () { y = Op <" + std::string(attribute) + "> (x) }";
  };
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"", "expected the name of an attribute, found '>'"},
      {"a", "expected '=' before the value of an attribute, found '>'"},
      {"a: integer = 1",
       "expected the type of an attribute such as int, floats, tensor or graph, found 'integer'"},
      {"a = ",
       "expected a value (a number, a string, a tensor, a type, a graph or a list), found '>'"},
      {"a = 1 b = 2", "expected '>' or ',' after an attribute, found 'b'"},
      {"a = []",
       "expected a value (an empty list needs its type, as in 'axes: ints = []'), found ']'"},
      {"a: int = [1]", "expected a value of type int, found a list"},
      {"a: int = \"x\"", "expected a value of type int, found one of type string"},
      {"a: ints = 1", "expected a value of type ints, found one of type int"},
      {"a = [1, \"x\"]", "expected a value of type int, found one of type string"},
      {"a = [1, 2.5]", "expected a value of type int, found one of type float"},
      {"a = [1 2]", "expected ']' or ',' after a value of a list, found '2'"},
      {"a = 9223372036854775808",
       "9223372036854775808 is not an int64 (-9223372036854775808 to 9223372036854775807)"},
      {"a = 1e39", "the number 1e39 is out of the range of float"},
      {"a = @", "expected the name of an attribute after '@', found '>'"},
      {"a = @\"\"", "a reference needs a name"},
      {"a = ?",
       "expected a value (a number, a string, a tensor, a type, a graph or a list), found '?'"},
      {"a = body", "expected '(' before a list of values, found '>'"},
      {"a = \"open", "this string has no closing quote: '\"open> (x) }'"},
  };
  for (const auto& [attribute, message] : rows) expect_errors({{with(attribute), message}});
}

TEST(TextErrors, SayThatElidedDataCannotBeReadBack) {
  for (const std::string_view text : {
           "g () => () <float[99] w = {1, 2, ...}> {}",
           "g () => () <float[99] w = ...> {}",
           "g () => () { y = Op <t = float[99] {...}> () }",
           "g () => () { y = Op <t: tensor = float[99] ...> () }",
           "g () => () { y = Op <a = [1, 2, ...]> () }",
           "g () => () { y = Op <a = \"beginning\"...> () }",
           "g () => () <string[1] w = {\"beginning\"...}> {}",
       }) {
    const auto model = parse_text(text);
    ASSERT_FALSE(model) << text;
    EXPECT_THAT(model.error().what,
                HasSubstr("data was elided here ('...'), so this text cannot be read back"));
    EXPECT_EQ(model.error().hint, "print the model again with everything in it");
  }
}

std::string repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

TEST(TextErrors, BoundTheDepthOfGraphsAndTypes) {
  const std::string open = "g () => () { = If() <b = ";
  EXPECT_TRUE(parse_text(repeated(open, 64) + "g () => () {}" + repeated("> }", 64)));
  EXPECT_THAT(parse_text(repeated(open, 100'000)).error().what,
              HasSubstr("graphs are nested more than 64 deep"));
  EXPECT_TRUE(
      parse_text("g (" + repeated("seq(", 64) + "float" + repeated(")", 64) + " x) => () {}"));
  EXPECT_THAT(parse_text("g (" + repeated("seq(", 100'000)).error().what,
              HasSubstr("types are nested more than 64 deep"));
  EXPECT_THAT(parse_text("g (float[" + repeated("1,", 2000) + "1] x) => () {}").error().what,
              HasSubstr("a shape has more than 1024 dimensions"));
}

TEST(TextErrors, BoundTheNumberOfThings) {
  EXPECT_THAT(parse_text("g () => () { " + repeated(",", 2'100'000) + "= A() }").error().what,
              HasSubstr("more than 2000000 nodes, values and attributes"));
}

TEST(TextErrors, ShortenAndCleanWhatWasFound) {
  const auto shown = parse_text("g \"\x1b[31m" + repeated("x", 100) + "\"");
  EXPECT_THAT(shown.error().what, HasSubstr("found '\"\\x1b[31m" + repeated("x", 34) + "...'"));
}

}  // namespace
}  // namespace hone
