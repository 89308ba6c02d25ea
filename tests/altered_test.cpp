// Every family with its switches altered, beside what transformers computes: equal, or refused by
// the name of the switch. A graph that is wrong and says nothing is worse than none.

#include "altered.h"

#include <gmock/gmock.h>

#include <cctype>
#include <cstdlib>

#include "checkpoint/export.h"
#include "checkpoint/family.h"
#include "real_runtime.h"

namespace hone {
namespace {

// All of them take minutes under the sanitizers. What is refused, what was wrong once and a
// third of the others are looked at each time, and all where HONE_ALTERED says "all".
bool is_looked_at(const AlteredCase& altered) {
  static const char* asked = std::getenv("HONE_ALTERED");
  if (asked && std::string_view(asked) == "all") return true;
  return altered.family.ends_with("_older") || altered.said.find("refused") ||
         altered.said.find("once_wrong") || altered.at % 3 == 0;
}

std::vector<AlteredCase> all_altered() {
  std::vector<Path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(HONE_SOURCE_DIR "/tests/fixtures/altered")) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<AlteredCase> all;
  for (const Path& file : files) {
    for (AlteredCase& altered : read_altered(file)) {
      if (is_looked_at(altered)) all.push_back(std::move(altered));
    }
  }
  return all;
}

struct Made {
  std::vector<std::int64_t> dims;
  std::vector<double> numbers;
};

Made made_of(const Tensor& tensor) { return {tensor.dims, to_doubles(tensor).value()}; }

// Columns [begin, end) of a matrix of whole numbers.
TensorPtr columns(const Tensor& matrix, std::int64_t begin, std::int64_t end) {
  const std::vector<std::int64_t> all = to_ints(matrix).value();
  std::vector<std::int64_t> taken;
  for (std::int64_t row = 0; row < matrix.dims[0]; ++row) {
    const auto first = all.begin() + row * matrix.dims[1];
    taken.insert(taken.end(), first + begin, first + end);
  }
  const TensorPtr flat = make_int64_tensor(matrix.name, taken);
  return make_tensor(matrix.name, ElementType::int64, {matrix.dims[0], end - begin}, flat->dense);
}

// [batch, tokens, vocabulary] without the first tokens.
Made without_first(const Made& all, std::int64_t count) {
  Made rest{.dims = {all.dims[0], all.dims[1] - count, all.dims[2]}, .numbers = {}};
  for (std::int64_t row = 0; row < all.dims[0]; ++row) {
    const auto begin = all.numbers.begin() + row * all.dims[1] * all.dims[2];
    rest.numbers.insert(rest.numbers.end(), begin + count * all.dims[2],
                        begin + all.dims[1] * all.dims[2]);
  }
  return rest;
}

// Logits of some tokens after those of the tokens before: [batch, tokens, vocabulary].
void append(Made& all, const Made& more) {
  if (all.dims.empty()) {
    all = more;
    return;
  }
  const auto rows = static_cast<std::size_t>(all.dims[0]);
  Made joined{.dims = {all.dims[0], all.dims[1] + more.dims[1], all.dims[2]}, .numbers = {}};
  for (std::size_t row = 0; row < rows; ++row) {
    for (const Made* part : {static_cast<const Made*>(&all), &more}) {
      const auto size = static_cast<std::ptrdiff_t>(part->numbers.size() / rows);
      const auto first = part->numbers.begin() + static_cast<std::ptrdiff_t>(row) * size;
      joined.numbers.insert(joined.numbers.end(), first, first + size);
    }
  }
  all = std::move(joined);
}

class Altered : public testing::TestWithParam<AlteredCase> {
 protected:
  void refuse() {
    Problems problems;
    const Config config(*GetParam().said.find("config"), problems);
    const Family* family = find_family(config.word("model_type"));
    ASSERT_NE(family, nullptr);
    Weights weights({});
    Net net({}, weights, problems);
    const std::string task = wanted_task(config);
    const std::string part = family->parts ? family->parts(config, task).front() : "model";
    family->write(net, config, {.task = task, .part = part});
    const std::string name = *GetParam().said.find("refused")->as_string();
    EXPECT_THAT(problems.said(), testing::Contains(testing::StartsWith("config.json: " + name)));
  }

  static std::string wanted_task(const Config& config) {
    const Json* asked = GetParam().said.find("task");
    if (asked) return *asked->as_string();
    return std::string(task_of_architecture(config.words("architectures", {}).at(0)));
  }

  // False where it cannot be exported; the test has failed then.
  bool write(GraphForm form, std::int64_t opset) {
    const Json* asked = GetParam().said.find("task");
    auto made = export_tensors(
        GetParam().name, *GetParam().said.find("config"), weights_of(GetParam()),
        {.task = asked ? *asked->as_string() : "", .net = {.opset = opset, .form = form}});
    EXPECT_TRUE(made) << made.error().what << ": " << made.error().cause;
    if (!made) return false;
    exported_ = std::move(*made);
    EXPECT_EQ(exported_.unused, std::vector<std::string>{});
    return true;
  }

  NamedTensors run(std::size_t graph, const NamedTensors& given) {
    const auto session = Session::open_model(onnxruntime(), exported_.graphs[graph].model, {});
    EXPECT_TRUE(session) << session.error().what << ": " << session.error().cause;
    if (!session) return {};
    return run(*session, given);
  }

  NamedTensors run(const Session& session, const NamedTensors& given) {
    NamedTensors inputs;
    for (const Port& port : session.inputs()) {
      const auto at = given.find(port.name);
      EXPECT_NE(at, given.end()) << "the case has no input for " << port.name;
      if (at == given.end()) return {};
      inputs[port.name] = at->second;
    }
    auto made = session.run(inputs);
    EXPECT_TRUE(made) << made.error().what << ": " << made.error().cause;
    return made ? std::move(*made) : NamedTensors{};
  }

  void compare(const std::string& name, const Made& made, const char* how) {
    const Json* output = GetParam().said.find("outputs")->find(name);
    if (!output) return;
    ++compared_;
    // What is made of padding that comes first is not the same everywhere, and of no use.
    const Json* skipped = GetParam().said.find("skip");
    const Made rest = skipped ? without_first(made, skipped->to_int().value()) : made;
    EXPECT_LE(distance_from(*output, rest.dims, rest.numbers), 1e-4) << name << ", " << how;
  }

  void compare_all(const NamedTensors& made) {
    for (const auto& [name, tensor] : made) compare(name, made_of(*tensor), "at once");
  }

  // A part of the tokens, then one at a time, each behind the caches of those before it.
  void decode(bool has_encoder);
  void run_in_parts();
  void compute();

  ExportedCheckpoint exported_;
  int compared_ = 0;
};

// Tokens [begin, end) of what a decoder is given; `before` is what the last step made.
NamedTensors step_of(const Session& session, const NamedTensors& given, std::int64_t begin,
                     std::int64_t end, const NamedTensors& before) {
  const bool has_encoder = given.contains("decoder_input_ids");
  const Tensor& ids = *given.at(has_encoder ? "decoder_input_ids" : "input_ids");
  NamedTensors step = before;
  step["input_ids"] = columns(ids, begin, end);
  if (has_encoder) {
    if (given.contains("attention_mask")) {
      step["encoder_attention_mask"] = given.at("attention_mask");
    }
    return step;
  }
  step["attention_mask"] = columns(*given.at("attention_mask"), 0, end);
  const auto said = given.find("position_ids");
  std::vector<std::int64_t> places;
  for (std::int64_t row = 0; row < ids.dims[0]; ++row) {
    for (std::int64_t at = 0; at < ids.dims[1]; ++at) places.push_back(at);
  }
  const TensorPtr flat = make_int64_tensor("position_ids", places);
  const TensorPtr all = make_tensor("position_ids", ElementType::int64, ids.dims, flat->dense);
  step["position_ids"] = columns(said == given.end() ? *all : *said->second, begin, end);
  for (const Port& port : session.inputs()) {
    if (!port.name.starts_with("past_key_values.") || step.contains(port.name)) continue;
    std::vector<std::int64_t> empty;
    for (const Dim& dim : port.type.shape.value()) empty.push_back(dim.value.value_or(0));
    empty[0] = ids.dims[0];
    step[port.name] = make_tensor(port.name, port.type.element, empty, {});
  }
  return step;
}

void keep_caches(NamedTensors& kept, const NamedTensors& made) {
  for (const auto& [name, tensor] : made) {
    if (name.starts_with("present.")) kept["past_key_values" + name.substr(7)] = tensor;
  }
}

void Altered::decode(bool has_encoder) {
  const NamedTensors given = inputs_of(GetParam());
  const std::size_t first_graph = has_encoder ? 1 : 0;
  const std::size_t next_graph = has_encoder ? 2 : 0;
  NamedTensors kept;
  if (has_encoder) {
    const NamedTensors seen = run(0, given);
    if (!seen.contains("last_hidden_state")) return;
    kept["encoder_hidden_states"] = seen.at("last_hidden_state");
    compare("encoder_last_hidden_state", made_of(*seen.at("last_hidden_state")), "encoder");
  }
  const std::int64_t count = given.at(has_encoder ? "decoder_input_ids" : "input_ids")->dims[1];
  auto first = Session::open_model(onnxruntime(), exported_.graphs[first_graph].model, {});
  auto next = Session::open_model(onnxruntime(), exported_.graphs[next_graph].model, {});
  ASSERT_TRUE(first) << first.error().cause;
  ASSERT_TRUE(next) << next.error().cause;
  NamedTensors made = run(*first, step_of(*first, given, 0, count, kept));
  ASSERT_TRUE(made.contains("logits"));
  compare("logits", made_of(*made.at("logits")), "at once");
  // Where positions turn by how many there are, steps are not what all at once is.
  if (GetParam().said.find("steps")) return;
  Made logits;
  for (std::int64_t begin = 0, end = count / 2; begin < count; begin = end++) {
    const Session& session = begin == 0 ? *first : *next;
    made = run(session, step_of(session, given, begin, end, kept));
    ASSERT_TRUE(made.contains("logits"));
    append(logits, made_of(*made.at("logits")));
    keep_caches(kept, made);
  }
  compare("logits", logits, "step by step");
}

void Altered::run_in_parts() {
  if (exported_.graphs.size() == 3) return decode(true);
  if (exported_.task == "text-generation-with-past") return decode(false);
  NamedTensors given = inputs_of(GetParam());
  if (given.contains("decoder_input_ids")) {
    const Tensor& ids = *given.at("decoder_input_ids");
    const std::vector<std::int64_t> ones(ids.element_count(), 1);
    const TensorPtr flat = make_int64_tensor("decoder_attention_mask", ones);
    given["decoder_attention_mask"] =
        make_tensor("decoder_attention_mask", ElementType::int64, ids.dims, flat->dense);
  }
  compare_all(run(0, given));
}

struct How {
  GraphForm form;
  std::int64_t opset;
};

// One of the forms by turns.
How form_of(const AlteredCase& altered) {
  constexpr How all[] = {
      {GraphForm::standard, 17}, {GraphForm::contrib, 17}, {GraphForm::onnx_attention, 23}};
  return all[altered.at / 3 % std::size(all)];
}

void Altered::compute() {
  const How how = form_of(GetParam());
  SCOPED_TRACE("form " + std::to_string(static_cast<int>(how.form)));
  if (write(how.form, how.opset)) run_in_parts();
  EXPECT_GT(compared_, 0);
}

TEST_P(Altered, IsEqualOrRefusedByName) {
  if (GetParam().said.find("refused")) return refuse();
  compute();
}

std::string name_of_case(const testing::TestParamInfo<AlteredCase>& info) {
  std::string name = info.param.family + "_" + std::to_string(info.index) + "_" + info.param.name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Switches, Altered, testing::ValuesIn(all_altered()), name_of_case);

}  // namespace
}  // namespace hone
