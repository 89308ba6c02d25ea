// Checkpoints that go on with a text, token by token, beside what transformers generates.

#include "checkpoints_for_tests.h"

namespace hone {
namespace {

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

// Those that generate by one graph, which has the caches.
std::vector<std::string> decoders() {
  std::vector<std::string> names = checkpoints();
  std::erase_if(names, [](const std::string& name) {
    const auto exported = export_checkpoint(folder_of(name), {});
    return !exported || exported->task != "text-generation-with-past";
  });
  return names;
}

class Decoders : public testing::TestWithParam<std::tuple<std::string, FormAt>> {};

// The prompt in two parts, then one token at a time, each behind the caches of those before it.
TEST_P(Decoders, GenerateWhatTransformersGenerates) {
  const auto& [name, how] = GetParam();
  const Path folder = folder_of(name);
  const std::vector<TensorPtr> arrays = read_npz(folder / "reference.npz").value();
  const NamedTensors expected = named("greedy_", arrays);
  const auto exported =
      export_checkpoint(folder, {.task = {}, .net = {.opset = how.opset, .form = how.form}});
  ASSERT_TRUE(exported) << exported.error().what << ": " << exported.error().cause;
  const auto session = Session::open_model(onnxruntime(), exported->graphs.front().model, {});
  ASSERT_TRUE(session) << session.error().what << ": " << session.error().cause;

  std::vector<std::int64_t> said = prompt_of(named("in_", arrays));
  const std::vector<std::int64_t> wanted = to_ints(*expected.begin()->second).value();
  std::ptrdiff_t begin = 0;
  std::ptrdiff_t end = std::ssize(said) / 2;
  NamedTensors made;
  while (said.size() < wanted.size()) {
    const std::vector<std::int64_t> tokens(said.begin() + begin, said.begin() + end);
    auto step = session->run(next_step(*session, tokens, begin, made));
    ASSERT_TRUE(step) << step.error().what << ": " << step.error().cause;
    made = std::move(*step);
    begin = end;
    if (end == std::ssize(said)) said.push_back(likeliest_last(*made.at("logits")));
    end = std::ssize(said);
  }
  EXPECT_EQ(said, wanted);

  // All at once, by the graph without caches.
  said.pop_back();
  const auto whole = export_checkpoint(
      folder, {.task = "text-generation", .net = {.opset = how.opset, .form = how.form}});
  ASSERT_TRUE(whole) << whole.error().what << ": " << whole.error().cause;
  const auto reader = Session::open_model(onnxruntime(), whole->graphs.front().model, {});
  ASSERT_TRUE(reader) << reader.error().what << ": " << reader.error().cause;
  const auto read = reader->run(next_step(*reader, said, 0, {}));
  ASSERT_TRUE(read) << read.error().what << ": " << read.error().cause;
  EXPECT_EQ(likeliest_last(*read->at("logits")), wanted.back());
}

INSTANTIATE_TEST_SUITE_P(All, Decoders,
                         testing::Combine(testing::ValuesIn(decoders()), testing::ValuesIn(forms)),
                         [](const auto& info) { return name_of(info); });

}  // namespace
}  // namespace hone
