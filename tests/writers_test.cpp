// Encoders with decoders, which write a token at a time, beside what transformers generates.

#include "checkpoints_for_tests.h"

namespace hone {
namespace {

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
  TensorPtr logits = writer.start(whole_numbers("ids", written));
  while (true) {
    written.push_back(next_token(*logits));
    if (written.size() == 13 && token("forced_eos_token_id") >= 0) {
      written.back() = token("forced_eos_token_id");
    }
    if (written.size() == 13 || written.back() == token("eos_token_id")) break;
    logits = writer.go_on(whole_numbers("ids", {written.back()}));
  }
  // Whisper's generate() leaves out what it started with.
  if (name == "whisper") written.erase(written.begin());
  EXPECT_EQ(written, to_ints(*expected.at("12")).value());
}

INSTANTIATE_TEST_SUITE_P(All, Writers,
                         testing::Combine(testing::ValuesIn(writing_checkpoints()),
                                          testing::ValuesIn(forms)),
                         [](const auto& info) { return name_of(info); });

}  // namespace
}  // namespace hone
