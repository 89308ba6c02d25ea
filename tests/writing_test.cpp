// The loop on exported checkpoints, beside what transformers generates: with caches that stay where
// they are made, a text alone and texts of different lengths side by side.

#include "generate/loop.h"

#include "checkpoints_for_tests.h"
#include "generate/network.h"

namespace hone {
namespace {

constexpr std::int64_t reference_tokens = 12;

std::string generating_task(const std::string& name) {
  const auto exported = export_checkpoint(folder_of(name), {});
  if (!exported) return {};
  const std::string& task = exported->task;
  const bool is_it = task == "text-generation-with-past" || exported->graphs.size() == 3;
  return is_it ? task : std::string();
}

// Those of which transformers has written twelve tokens.
std::vector<std::string> generating_checkpoints() {
  std::vector<std::string> names = checkpoints();
  std::erase_if(names, [](const std::string& name) {
    const auto arrays = read_npz(folder_of(name) / "reference.npz");
    return !arrays || named("greedy_", *arrays).empty() || generating_task(name).empty();
  });
  return names;
}

std::unique_ptr<Network> open_network(const std::string& name, const FormAt& how,
                                      bool picks_rows = false) {
  const auto exported =
      export_checkpoint(folder_of(name), {.net = {.opset = how.opset, .form = how.form}});
  EXPECT_TRUE(exported) << exported.error().what << ": " << exported.error().cause;
  std::vector<OpenPart> parts;
  for (const ExportedGraph& graph : exported->graphs) {
    auto session = Session::open_model(onnxruntime(), graph.model, {});
    EXPECT_TRUE(session) << session.error().what << ": " << session.error().cause;
    parts.push_back({graph.part, std::move(*session)});
  }
  auto network = Network::open(onnxruntime(), std::move(parts), picks_rows);
  EXPECT_TRUE(network) << network.error().what << ": " << network.error().cause;
  return std::move(*network);
}

// So many samples; where the reference has fewer, the first of them again.
NamedTensors rows_of(const NamedTensors& batches, std::size_t count) {
  NamedTensors picked;
  for (const auto& [name, batch] : batches) {
    const std::string_view bytes = batch->dense.view();
    std::vector<std::int64_t> dims = batch->dims;
    const auto there = static_cast<std::size_t>(dims[0]);
    const std::size_t row = bytes.size() / there;
    std::string rows;
    for (std::size_t i = 0; i < count; ++i) rows += bytes.substr((i % there) * row, row);
    dims[0] = static_cast<std::int64_t>(count);
    picked[name] = make_tensor(name, batch->type, dims, Blob::own(std::move(rows)));
  }
  return picked;
}

// The samples of the reference without their padding.
Prompts prompts_of(const NamedTensors& given) {
  const auto ids = to_ints(*given.at("input_ids")).value();
  const auto mask = to_ints(*given.at("attention_mask")).value();
  const auto length = static_cast<std::size_t>(given.at("input_ids")->dims.at(1));
  Prompts prompts(ids.size() / length);
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (mask[i] == 1) prompts[i / length].push_back(ids[i]);
  return prompts;
}

class Generating : public testing::TestWithParam<std::tuple<std::string, FormAt>> {
 protected:
  void SetUp() override {
    const auto& [name, how] = GetParam();
    const std::vector<TensorPtr> arrays = read_npz(folder_of(name) / "reference.npz").value();
    given_ = named("in_", arrays);
    wanted_ = to_ints(*named("greedy_", arrays).at("12")).value();
    rules_ = rules_of(name);
    network_ = open_network(name, how);
    if (network_->has_encoder()) {
      for (const auto& [input, tensor] : given_) {
        const auto& ports = network_->source_ports();
        if (std::ranges::find(ports, input, &Port::name) != ports.end()) source_[input] = tensor;
      }
    }
  }

  static ChoiceRules rules_of(const std::string& name) {
    auto settings = load_generation_settings(folder_of(name));
    EXPECT_TRUE(settings) << settings.error().what;
    return settle_choice({.max_tokens = reference_tokens}, *std::move(settings), 1).value();
  }

  // The first `count` samples side by side.
  std::vector<std::vector<std::int64_t>> write(std::size_t count) {
    Prompts prompts(count);
    if (network_->has_encoder()) {
      const Status encoded = network_->encode(rows_of(source_, count));
      EXPECT_TRUE(encoded) << encoded.error().what << ": " << encoded.error().cause;
      prompts.assign(count, {rules_.settings.opening.front().id.value()});
    } else {
      prompts = prompts_of(given_);
      // Beside a longer one, so that the first is padded.
      std::vector<std::int64_t> longer = prompts[0];
      longer.insert(longer.begin(), 3, 5);
      prompts = {prompts[0], longer};
      prompts.resize(count);
    }
    const auto made = write_texts(*network_, prompts, rules_, {}, now_ns());
    EXPECT_TRUE(made) << made.error().what << ": " << made.error().cause;
    std::vector<std::vector<std::int64_t>> texts;
    for (std::size_t i = 0; made && i < count; ++i) {
      std::vector<std::int64_t> text = prompts[i];
      const auto& tokens = made->texts[i].tokens;
      text.insert(text.end(), tokens.begin(), tokens.end());
      texts.push_back(std::move(text));
    }
    return texts;
  }

  NamedTensors given_;
  NamedTensors source_;
  std::vector<std::int64_t> wanted_;
  ChoiceRules rules_;
  std::unique_ptr<Network> network_;
};

TEST_P(Generating, WritesWhatTransformersWritesAloneAndBesideAnother) {
  const std::string& name = std::get<0>(GetParam());
  std::vector<std::int64_t> alone = write(1).at(0);
  const auto both = write(2);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0], alone);
  // Whisper's generate() leaves out what it started with.
  if (name == "whisper") alone.erase(alone.begin());
  EXPECT_EQ(alone, wanted_);
}

INSTANTIATE_TEST_SUITE_P(All, Generating,
                         testing::Combine(testing::ValuesIn(generating_checkpoints()),
                                          testing::ValuesIn(forms)),
                         [](const auto& info) { return name_of(info); });

TEST(Networks, KnowsEveryCheckpointThatTransformersHasWrittenWith) {
  EXPECT_EQ(generating_checkpoints(),
            (std::vector<std::string>{"gemma2", "gpt2", "llama", "marian", "mistral", "phi3",
                                      "qwen2", "qwen3", "t5", "trocr", "whisper"}));
}

// The second row is shorter, so that it is padded, and writes what it writes alone.
TEST(Networks, APaddedRowWritesWhatItWritesAlone) {
  for (const std::string name : {"gpt2", "llama", "qwen3", "gemma2"}) {
    const auto network = open_network(name, forms[0]);
    ChoiceRules rules;
    rules.max_tokens = 8;
    const Prompts prompts = {{11, 12, 13, 14, 15, 16}, {21, 22}};
    const auto both = write_texts(*network, prompts, rules, {}, now_ns());
    const auto alone = write_texts(*network, {prompts[1]}, rules, {}, now_ns());
    ASSERT_TRUE(both && alone) << name;
    EXPECT_EQ(both->texts[1].tokens, alone->texts[0].tokens) << name;
  }
}

// One beam is greedy; more find a text that is at least as likely, by the same caches in any order.
TEST(Networks, BeamsFindTextsAtLeastAsLikelyAsTheGreedyOne) {
  for (const std::string name : {"marian", "t5", "gpt2"}) {
    const auto network = open_network(name, forms[0], true);
    const auto arrays = read_npz(folder_of(name) / "reference.npz").value();
    std::vector<std::int64_t> prompt = {11, 12, 13};
    ChoiceRules rules = settle_choice({.max_tokens = 8}, {}, 1).value();
    const auto search = [&](std::int64_t beams) {
      if (network->has_encoder()) {
        NamedTensors source = rows_of(named("in_", arrays), 1);
        source.erase("decoder_input_ids");
        EXPECT_TRUE(network->encode(source));
        prompt = {1};
      }
      rules.settings.beams = beams;
      return search_text(*network, prompt, rules, {});
    };
    const auto greedy = search(1);
    const auto wide = search(4);
    ASSERT_TRUE(greedy && wide) << name << (greedy ? wide : greedy).error().cause;
    EXPECT_GE(*wide->score, *greedy->score - 1e-6) << name;
    if (network->has_encoder()) {
      NamedTensors source = rows_of(named("in_", arrays), 1);
      source.erase("decoder_input_ids");
      ASSERT_TRUE(network->encode(source));
    }
    const auto written = write_texts(*network, {prompt}, rules, {}, now_ns());
    ASSERT_TRUE(written) << name;
    EXPECT_EQ(greedy->tokens, written->texts[0].tokens) << name;
  }
}

TEST(Networks, RefusesADecoderWithoutCaches) {
  const auto exported = export_checkpoint(folder_of("llama"), {.task = "text-generation"});
  ASSERT_TRUE(exported);
  std::vector<OpenPart> parts;
  parts.push_back(
      {"model", Session::open_model(onnxruntime(), exported->graphs[0].model, {}).value()});
  const auto network = Network::open(onnxruntime(), std::move(parts), false);
  ASSERT_FALSE(network);
  EXPECT_EQ(network.error().what, "the decoder has no caches");
}

TEST(Networks, RefusesAModelThatDoesNotWrite) {
  const auto exported = export_checkpoint(folder_of("bert"), {});
  ASSERT_TRUE(exported);
  std::vector<OpenPart> parts;
  parts.push_back(
      {"model", Session::open_model(onnxruntime(), exported->graphs[0].model, {}).value()});
  const auto network = Network::open(onnxruntime(), std::move(parts), false);
  ASSERT_FALSE(network);
  EXPECT_THAT(network.error().what, testing::HasSubstr("token_type_ids"));
}

}  // namespace
}  // namespace hone
