// Every family beside transformers: small checkpoints that it saved, with what it computed from
// them (tests/fixtures/hf/NAME/reference.npz), in each form and at each opset.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/json.h"
#include "checkpoint/export.h"
#include "checkpoint/family.h"
#include "model/npz/npz.h"
#include "real_runtime.h"
#include "runtime/session.h"

namespace hone {
namespace {

struct FormAt {
  const char* name;
  GraphForm form;
  std::int64_t opset;
};

constexpr FormAt forms[] = {
    {"standard_17", GraphForm::standard, 17},
    {"standard_21", GraphForm::standard, 21},
    {"standard_23", GraphForm::standard, 23},
    {"contrib_17", GraphForm::contrib, 17},
    {"onnx_attention_23", GraphForm::onnx_attention, 23},
};

std::vector<std::string> checkpoints() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(HONE_SOURCE_DIR "/tests/fixtures/hf")) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Path folder_of(const std::string& name) {
  return Path(HONE_SOURCE_DIR "/tests/fixtures/hf") / name;
}

NamedTensors named(const std::string& start, const std::vector<TensorPtr>& arrays) {
  NamedTensors found;
  for (const TensorPtr& array : arrays) {
    if (array->name.starts_with(start)) found[array->name.substr(start.size())] = array;
  }
  return found;
}

TensorPtr whole_numbers(const std::string& name, const std::vector<std::int64_t>& numbers) {
  const TensorPtr flat = make_int64_tensor(name, numbers);
  return make_tensor(name, ElementType::int64, {1, flat->dims.front()}, flat->dense);
}

// What no reference has: where tokens stand, and caches in which nothing is yet. Null for others.
TensorPtr input_of_a_beginning(const Port& port, const NamedTensors& given) {
  const std::vector<std::int64_t>& dims = given.at("input_ids")->dims;
  if (port.name == "position_ids") {
    std::string bytes;
    for (std::int64_t row = 0; row < dims[0]; ++row) {
      for (std::int64_t i = 0; i < dims[1]; ++i) {
        bytes.append(reinterpret_cast<const char*>(&i), sizeof i);
      }
    }
    return make_tensor(port.name, ElementType::int64, dims, Blob::own(std::move(bytes)));
  }
  if (!port.name.starts_with("past_key_values.")) return nullptr;
  std::vector<std::int64_t> empty;
  for (const Dim& dim : port.type.shape.value()) empty.push_back(dim.value.value_or(0));
  empty[0] = dims[0];
  return make_tensor(port.name, port.type.element, empty, {});
}

// What a graph is fed with: inputs of the reference by their names, and what graphs before it made.
// Decoders call their tokens input_ids, and the mask of what the encoder saw by another name; a
// reference does too, where the encoder has no tokens.
NamedTensors inputs_of(const Session& session, const NamedTensors& given, bool is_decoder) {
  static const std::map<std::string, std::string> of_decoders = {
      {"input_ids", "decoder_input_ids"}, {"encoder_attention_mask", "attention_mask"}};
  NamedTensors inputs;
  for (const Port& port : session.inputs()) {
    const auto other = of_decoders.find(port.name);
    const bool is_renamed =
        is_decoder && other != of_decoders.end() && given.contains(other->second);
    const std::string name = is_renamed ? other->second : port.name;
    const auto at = given.find(name);
    const TensorPtr input = at != given.end() ? at->second : input_of_a_beginning(port, given);
    EXPECT_NE(input, nullptr) << "the reference has no input for " << port.name;
    if (input) inputs[port.name] = input;
  }
  return inputs;
}

// The largest difference as a share of the largest value.
double distance(const Tensor& ours, const Tensor& theirs) {
  EXPECT_EQ(ours.dims, theirs.dims) << ours.name;
  if (ours.dims != theirs.dims) return 1e9;
  const auto a = to_doubles(ours).value();
  const auto b = to_doubles(theirs).value();
  double largest = 0;
  double difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i])) return 1e9;
    largest = std::max(largest, std::abs(b[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  return largest == 0 ? difference : difference / largest;
}

// What the reference pins: where scores are as good as equal, rounding says which are the best. Its
// array "at_NAME" takes the place of what the graph computes under that name.
void pin(Graph& graph, const std::vector<TensorPtr>& arrays) {
  for (const auto& [name, array] : named("at_", arrays)) {
    Value* computed = graph.find(name);
    ASSERT_NE(computed, nullptr) << name;
    graph.replace_uses(*computed, graph.add_initializer(array));
  }
}

// The first sample of the reference without its padding.
std::vector<std::int64_t> prompt_of(const NamedTensors& given) {
  std::vector<std::int64_t> ids = to_ints(*given.at("input_ids")).value();
  const std::vector<std::int64_t> mask = to_ints(*given.at("attention_mask")).value();
  ids.resize(static_cast<std::size_t>(given.at("input_ids")->dims.at(1)));
  std::vector<std::int64_t> prompt;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (mask[i] == 1) prompt.push_back(ids[i]);
  }
  return prompt;
}

// The inputs of the next step of a decoder without an encoder; `before` is what the last one made.
NamedTensors next_step(const Session& session, const std::vector<std::int64_t>& tokens,
                       std::int64_t past, const NamedTensors& before) {
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    places.push_back(past + static_cast<std::int64_t>(i));
  }
  const std::vector<std::int64_t> ones(static_cast<std::size_t>(past) + tokens.size(), 1);
  NamedTensors given = {{"input_ids", whole_numbers("input_ids", tokens)},
                        {"attention_mask", whole_numbers("attention_mask", ones)},
                        {"position_ids", whole_numbers("position_ids", places)}};
  for (const auto& [name, tensor] : before) {
    if (name.starts_with("present.")) given["past_key_values" + name.substr(7)] = tensor;
  }
  return inputs_of(session, given, false);
}

std::int64_t likeliest_last(const Tensor& logits) {
  const std::vector<double> numbers = to_doubles(logits).value();
  const auto last = numbers.end() - logits.dims.back();
  return std::max_element(last, numbers.end()) - last;
}

class Families : public testing::TestWithParam<std::tuple<std::string, FormAt>> {};

TEST_P(Families, ComputeWhatTransformersComputes) {
  const auto& [name, how] = GetParam();
  const Path folder = folder_of(name);
  const auto exported =
      export_checkpoint(folder, {.task = {}, .net = {.opset = how.opset, .form = how.form}});
  ASSERT_TRUE(exported) << exported.error().what << ": " << exported.error().cause;
  EXPECT_EQ(exported->unused, std::vector<std::string>{});

  const std::vector<TensorPtr> arrays = read_npz(folder / "reference.npz").value();
  NamedTensors given = named("in_", arrays);
  NamedTensors expected = named("out_", arrays);
  std::size_t compared = 0;
  for (const ExportedGraph& graph : exported->graphs) {
    if (graph.part.find("with_past") != std::string::npos) continue;
    pin(*graph.model.graph, arrays);
    const auto session = Session::open_model(onnxruntime(), graph.model, {});
    ASSERT_TRUE(session) << graph.part << ": " << session.error().what << ": "
                         << session.error().cause;
    const bool is_decoder = graph.part.starts_with("decoder");
    const auto made = session->run(inputs_of(*session, given, is_decoder));
    ASSERT_TRUE(made) << graph.part << ": " << made.error().what << ": " << made.error().cause;
    for (const auto& [output, tensor] : *made) {
      given[(graph.part.starts_with("encoder") ? "encoder_hidden_states" : output)] = tensor;
      const std::string theirs = graph.part.starts_with("encoder") ? "encoder_" + output : output;
      if (!expected.contains(theirs)) continue;
      ++compared;
      EXPECT_LE(distance(*tensor, *expected.at(theirs)), 1e-4) << graph.part << ": " << output;
    }
  }
  EXPECT_GT(compared, 0U);
}

// --- encoders with decoders, which write a token at a time

// An exported checkpoint of a task that has decoders with and without a past.
class Writer {
 public:
  // `given`: what the reference was computed from.
  Writer(const Path& folder, const std::string& task, const FormAt& how, NamedTensors given)
      : known_(std::move(given)) {
    const auto exported =
        export_checkpoint(folder, {.task = task, .net = {.opset = how.opset, .form = how.form}});
    EXPECT_TRUE(exported) << exported.error().what << ": " << exported.error().cause;
    if (!exported) return;
    for (const ExportedGraph& graph : exported->graphs) {
      auto session = Session::open_model(onnxruntime(), graph.model, {});
      EXPECT_TRUE(session) << graph.part << ": " << session.error().cause;
      if (session) parts_.emplace(graph.part, std::move(*session));
    }
    if (parts_.size() != exported->graphs.size()) return;
    known_["encoder_hidden_states"] = run("encoder_model").at("last_hidden_state");
  }

  const Tensor& states() const { return *known_.at("encoder_hidden_states"); }
  // Logits of all these tokens at once, and from then on of those after them.
  TensorPtr start(const TensorPtr& ids) { return write("decoder_model", ids); }
  TensorPtr go_on(const TensorPtr& ids) { return write("decoder_with_past_model", ids); }

 private:
  NamedTensors run(const std::string& part) {
    const Session& session = parts_.at(part);
    auto made = session.run(inputs_of(session, known_, part != "encoder_model"));
    EXPECT_TRUE(made) << part << ": " << made.error().what << ": " << made.error().cause;
    return made ? std::move(*made) : NamedTensors{};
  }

  TensorPtr write(const std::string& part, const TensorPtr& ids) {
    known_["decoder_input_ids"] = ids;
    NamedTensors made = run(part);
    for (const auto& [output, tensor] : made) {
      const std::string start = "present.";
      if (output.starts_with(start)) known_["past_key_values." + output.substr(8)] = tensor;
    }
    return made.at("logits");
  }

  std::map<std::string, Session> parts_;
  NamedTensors known_;
};

// Of [batch, length, ...] the rows [begin, end) of each sample.
TensorPtr rows(const Tensor& whole, std::int64_t begin, std::int64_t end) {
  const std::string_view bytes = whole.dense.view();
  const auto batch = static_cast<std::size_t>(whole.dims[0]);
  const auto length = static_cast<std::size_t>(whole.dims[1]);
  const std::size_t row = bytes.size() / (batch * length);
  std::string kept;
  for (std::size_t i = 0; i < batch; ++i) {
    kept += bytes.substr((i * length + static_cast<std::size_t>(begin)) * row,
                         static_cast<std::size_t>(end - begin) * row);
  }
  std::vector<std::int64_t> dims = whole.dims;
  dims[1] = end - begin;
  return make_tensor(whole.name, whole.type, dims, Blob::own(std::move(kept)));
}

// The first sample of each.
NamedTensors first_of(const NamedTensors& batches) {
  NamedTensors firsts;
  for (const auto& [name, batch] : batches) {
    const std::string_view bytes = batch->dense.view();
    std::vector<std::int64_t> dims = batch->dims;
    std::string kept(bytes.substr(0, bytes.size() / static_cast<std::size_t>(dims[0])));
    dims[0] = 1;
    firsts[name] = make_tensor(name, batch->type, dims, Blob::own(std::move(kept)));
  }
  return firsts;
}

TensorPtr as_batch(const std::vector<std::int64_t>& ids) {
  const TensorPtr list = make_int64_tensor("ids", ids);
  return make_tensor("ids", list->type, {1, static_cast<std::int64_t>(ids.size())}, list->dense);
}

// The likeliest token after the last row.
std::int64_t next_token(const Tensor& logits) {
  const auto last = to_doubles(*rows(logits, logits.dims[1] - 1, logits.dims[1])).value();
  return std::max_element(last.begin(), last.end()) - last.begin();
}

// The task of a checkpoint's family that comes to so many graphs; empty where none does.
std::string task_of(const std::string& name, std::size_t graphs) {
  Problems problems;
  const Json said = Json::parse(read_file(folder_of(name) / "config.json").value()).value();
  const Config config(said, problems);
  const Family* family = find_family(config.word("model_type"));
  for (const std::string_view task : family->tasks) {
    if (family->parts && family->parts(config, task).size() == graphs) return std::string(task);
  }
  return {};
}

std::string writing_task(const std::string& name) { return task_of(name, 3); }

std::vector<std::string> writing_checkpoints() {
  std::vector<std::string> names = checkpoints();
  std::erase_if(names, [](const std::string& name) { return writing_task(name).empty(); });
  return names;
}

class Writers : public testing::TestWithParam<std::tuple<std::string, FormAt>> {};

TEST_P(Writers, WriteStepByStepWhatTheyWriteAtOnce) {
  const auto& [name, how] = GetParam();
  const Path folder = folder_of(name);
  const std::string task = writing_task(name);
  const std::vector<TensorPtr> arrays = read_npz(folder / "reference.npz").value();
  const NamedTensors given = named("in_", arrays);
  const Tensor& ids =
      *given.at(given.contains("decoder_input_ids") ? "decoder_input_ids" : "input_ids");
  Writer writer(folder, task, how, given);
  if (HasFailure()) return;
  const NamedTensors expected = named("out_", arrays);
  if (const auto states = expected.find("encoder_last_hidden_state"); states != expected.end()) {
    EXPECT_LE(distance(writer.states(), *states->second), 1e-4);
  }
  const TensorPtr whole = writer.start(rows(ids, 0, 6));
  EXPECT_LE(distance(*writer.start(rows(ids, 0, 2)), *rows(*whole, 0, 2)), 1e-5);
  EXPECT_LE(distance(*writer.go_on(rows(ids, 2, 5)), *rows(*whole, 2, 5)), 1e-5);
  EXPECT_LE(distance(*writer.go_on(rows(ids, 5, 6)), *rows(*whole, 5, 6)), 1e-5);
}

// Both halves in one graph, of which the decoder is told what is padding.
TEST_P(Writers, ComeToHiddenStatesInOneGraph) {
  const auto& [name, how] = GetParam();
  if (task_of(name, 1).empty()) GTEST_SKIP() << name << " has no base model";
  const std::vector<TensorPtr> arrays = read_npz(folder_of(name) / "reference.npz").value();
  const NamedTensors expected = named("out_", arrays);
  NamedTensors given = named("in_", arrays);
  given.try_emplace("decoder_input_ids", given["input_ids"]);
  given["decoder_input_ids"] = rows(*given["decoder_input_ids"], 0, 6);
  const auto hidden = [&](std::int64_t last) {
    std::vector<std::int64_t> mask(
        static_cast<std::size_t>(6 * given["decoder_input_ids"]->dims[0]), 1);
    for (std::size_t i = 5; i < mask.size(); i += 6) mask[i] = last;
    const TensorPtr list = make_int64_tensor("mask", mask);
    given["decoder_attention_mask"] =
        make_tensor("mask", list->type, given["decoder_input_ids"]->dims, list->dense);
    const auto exported = export_checkpoint(
        folder_of(name),
        {.task = "feature-extraction", .net = {.opset = how.opset, .form = how.form}});
    EXPECT_TRUE(exported) << exported.error().cause;
    const auto session = Session::open_model(onnxruntime(), exported->graphs[0].model, {});
    EXPECT_TRUE(session) << session.error().cause;
    return session->run(inputs_of(*session, given, false)).value();
  };
  const NamedTensors all = hidden(1);
  const NamedTensors but_one = hidden(0);
  EXPECT_LE(
      distance(*all.at("encoder_last_hidden_state"), *expected.at("encoder_last_hidden_state")),
      1e-4);
  EXPECT_LE(distance(*rows(*but_one.at("last_hidden_state"), 0, 5),
                     *rows(*all.at("last_hidden_state"), 0, 5)),
            1e-5);
}

TEST_P(Writers, GenerateWhatTransformersGenerates) {
  const auto& [name, how] = GetParam();
  const Path folder = folder_of(name);
  const std::vector<TensorPtr> arrays = read_npz(folder / "reference.npz").value();
  const NamedTensors expected = named("greedy_", arrays);
  if (expected.empty()) GTEST_SKIP() << "the reference of " << name << " is of another task";
  const Json said = Json::parse(read_file(folder / "generation_config.json").value()).value();
  const auto token = [&](const char* key) {
    const Json* found = said.find(key);
    return found ? found->to_int().value_or(-1) : -1;
  };

  Writer writer(folder, writing_task(name), how, first_of(named("in_", arrays)));
  if (HasFailure()) return;
  std::vector<std::int64_t> written = {token("decoder_start_token_id")};
  TensorPtr logits = writer.start(as_batch(written));
  while (true) {
    written.push_back(next_token(*logits));
    if (written.size() == 13 && token("forced_eos_token_id") >= 0) {
      written.back() = token("forced_eos_token_id");
    }
    if (written.size() == 13 || written.back() == token("eos_token_id")) break;
    logits = writer.go_on(as_batch({written.back()}));
  }
  // Whisper's generate() leaves out what it started with.
  if (name == "whisper") written.erase(written.begin());
  EXPECT_EQ(written, to_ints(*expected.at("12")).value());
}

template <typename Info>
std::string name_of(const Info& info) {
  std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param).name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// The prompt, then one token at a time, each behind the caches of those before it.
TEST_P(Families, GenerateWhatTransformersGenerates) {
  const auto& [name, how] = GetParam();
  const Path folder = Path(HONE_SOURCE_DIR "/tests/fixtures/hf") / name;
  const std::vector<TensorPtr> arrays = read_npz(folder / "reference.npz").value();
  const NamedTensors expected = named("greedy_", arrays);
  const auto exported =
      export_checkpoint(folder, {.task = {}, .net = {.opset = how.opset, .form = how.form}});
  ASSERT_TRUE(exported) << exported.error().what << ": " << exported.error().cause;
  if (exported->graphs.size() > 1) GTEST_SKIP() << "its decoder has an encoder";
  const auto session = Session::open_model(onnxruntime(), exported->graphs.front().model, {});
  ASSERT_TRUE(session) << session.error().what << ": " << session.error().cause;

  std::vector<std::int64_t> said = prompt_of(named("in_", arrays));
  const std::vector<std::int64_t> wanted = to_ints(*expected.begin()->second).value();
  std::vector<std::int64_t> tokens = said;
  NamedTensors made;
  while (said.size() < wanted.size()) {
    const auto past = static_cast<std::int64_t>(said.size() - tokens.size());
    auto step = session->run(next_step(*session, tokens, past, made));
    ASSERT_TRUE(step) << step.error().what << ": " << step.error().cause;
    made = std::move(*step);
    tokens = {likeliest_last(*made.at("logits"))};
    said.push_back(tokens.front());
  }
  EXPECT_EQ(said, wanted);
}

INSTANTIATE_TEST_SUITE_P(All, Families,
                         testing::Combine(testing::ValuesIn(checkpoints()),
                                          testing::ValuesIn(forms)),
                         [](const auto& info) { return name_of(info); });
INSTANTIATE_TEST_SUITE_P(All, Writers,
                         testing::Combine(testing::ValuesIn(writing_checkpoints()),
                                          testing::ValuesIn(forms)),
                         [](const auto& info) { return name_of(info); });

}  // namespace
}  // namespace hone
