#include "inspect/coverage/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinds/ep.h"

namespace hone {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string with_rules(const std::string& rules, const std::string& more = "") {
  return R"({"schema_version": 1, "ep": "sim", "devices": ["npu"], )" + more +
         R"("provenance": {"kind": "documentation", "source": "a page"}, "rules": [)" + rules +
         "]}";
}

// What reading says is wrong.
std::string refusal(const std::string& text) {
  const auto rules = read_rules("some.json", text);
  if (rules) return "(it was read)";
  EXPECT_THAT(rules.error().what, HasSubstr("some.json"));
  EXPECT_EQ(rules.error().fault, Fault::bad_input);
  return rules.error().cause;
}

TEST(ShippedRules, AreReadAndNameAnEpWeKnow) {
  const auto files = load_rules();
  ASSERT_TRUE(files) << files.error().what << ": " << files.error().cause;
  ASSERT_FALSE(files->empty());
  for (const NamedRules& file : *files) {
    EXPECT_THAT(ep_names(), Contains(file.rules.ep)) << file.file;
    EXPECT_EQ(file.file, file.rules.ep + ".json");
    EXPECT_FALSE(file.rules.rules.empty()) << file.file;
  }
}

TEST(ShippedRules, AreTheFilesOfTheRepositoryByteForByte) {
  const auto embedded = embedded_rules();
  for (const EmbeddedFile& file : embedded) {
    const auto text = read_file(Path(HONE_SOURCE_DIR) / "rules" / file.name);
    ASSERT_TRUE(text) << file.name;
    EXPECT_EQ(*text, file.text) << file.name;
  }
  const auto in_folder = load_rules(Path(HONE_SOURCE_DIR) / "rules");
  ASSERT_TRUE(in_folder) << in_folder.error().cause;
  EXPECT_EQ(in_folder->size(), embedded.size());
}

TEST(ShippedRules, SayNoOpTwiceForTheSameCase) {
  const std::vector<NamedRules> files = *load_rules();
  for (const NamedRules& file : files) {
    for (const OpRule& rule : file.rules.rules) {
      const std::set<std::string> ops(rule.ops.begin(), rule.ops.end());
      EXPECT_EQ(ops.size(), rule.ops.size()) << file.file << ": " << rule.ops.front();
    }
  }
}

TEST(RuleFiles, ComeBackFromWhatIsWritten) {
  const auto read = read_rules(
      "some.json", with_rules(R"({"ops": ["Conv"], "since": 11, "until": 21, "status": "partial",
        "when": {"inputs": [["float"], []], "max_rank": 4, "quantized": false}, "note": "2-D"})",
                              R"("needs": {"static_shapes": true}, )"));
  ASSERT_TRUE(read) << read.error().cause;
  const std::string text = write_rules(read->rules);
  const auto again = read_rules("again.json", text);
  ASSERT_TRUE(again) << again.error().cause << text;
  EXPECT_EQ(to_json(again->rules), to_json(read->rules));
  EXPECT_THAT(text, Not(HasSubstr("constant_inputs"))) << "what says nothing is left out";
}

TEST(RuleFiles, RefuseWhatTheyDoNotKnow) {
  EXPECT_THAT(refusal("[]"), HasSubstr("object"));
  EXPECT_THAT(refusal("{"), HasSubstr("line 1"));
  EXPECT_THAT(refusal(with_rules("", R"("epp": "x", )")), HasSubstr("'epp'"));
  EXPECT_THAT(refusal(with_rules(R"({"ops": ["A"], "stat": "supported"})")), HasSubstr("'stat'"));
  EXPECT_THAT(refusal(with_rules(R"({"ops": ["A"], "status": "maybe"})")), HasSubstr("maybe"));
  EXPECT_THAT(refusal(with_rules(R"({"ops": ["A"]})")), HasSubstr("status"));
  EXPECT_THAT(refusal(with_rules(R"({"ops": "A", "status": "supported"})")), HasSubstr("array"));
}

TEST(RuleFiles, RefuseWhatCannotBeMeant) {
  EXPECT_THAT(refusal(with_rules(R"({"ops": [], "status": "supported"})")), HasSubstr("no op"));
  EXPECT_THAT(refusal(with_rules(R"({"ops": ["A"], "status": "unknown"})")),
              HasSubstr("what no rule says"));
  EXPECT_THAT(refusal(with_rules(R"({"ops": ["A"], "status": "partial"})")), HasSubstr("note"));
  EXPECT_THAT(
      refusal(with_rules(R"({"ops": ["A"], "since": 9, "until": 8, "status": "supported"})")),
      HasSubstr("from 9 to 8"));
  EXPECT_THAT(refusal(with_rules(R"({"ops": ["A"], "devices": ["gpu"], "status": "supported"})")),
              HasSubstr("'gpu' is none of npu"));
  EXPECT_THAT(refusal(with_rules(
                  R"({"ops": ["A"], "when": {"inputs": [["floot"]]}, "status": "supported"})")),
              HasSubstr("rules[0] (A): 'floot' is no element type"));
  EXPECT_THAT(refusal(with_rules("", R"("onnxruntime": {"since": "new"}, )")),
              HasSubstr("'new' is no version"));
}

TEST(RuleFiles, ThatWereProbedSayHow) {
  EXPECT_THAT(refusal(R"({"schema_version": 1, "ep": "cpu", "devices": ["cpu"], "rules": [],
                          "provenance": {"kind": "probed", "source": "here"}})"),
              HasSubstr("made_by"));
}

TEST(RuleFiles, OfAFolderThatIsNotThereAreAnError) {
  const auto rules = load_rules("/no/such/folder");
  ASSERT_FALSE(rules);
  EXPECT_THAT(rules.error().what, HasSubstr("/no/such/folder"));
  EXPECT_THAT(rules.error().hint, HasSubstr("--rules"));
}

TEST(RuleFiles, AreFoundByEpAndDevice) {
  const std::vector<NamedRules> files = {
      *read_rules("some.json", with_rules(R"({"ops": ["A"], "status": "supported"})"))};
  EXPECT_NE(find_rules(files, "sim", "npu"), nullptr);
  EXPECT_NE(find_rules(files, "sim", "auto"), nullptr);
  EXPECT_EQ(find_rules(files, "sim", "gpu"), nullptr);
  EXPECT_EQ(find_rules(files, "qnn", "npu"), nullptr);
}

TEST(VersionRanges, CompareNumbersAndNotLetters) {
  const VersionRange range{"1.9.0", "1.24"};
  EXPECT_TRUE(is_inside(range, "1.10.0"));
  EXPECT_TRUE(is_inside(range, "1.24.3")) << "1.24 is every 1.24.x";
  EXPECT_FALSE(is_inside(range, "1.8.5"));
  EXPECT_FALSE(is_inside(range, "1.25.0"));
  EXPECT_FALSE(is_inside(range, "nightly"));
  EXPECT_TRUE(is_inside({}, "1.0"));
}

}  // namespace
}  // namespace hone
