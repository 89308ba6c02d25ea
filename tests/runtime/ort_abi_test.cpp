// We declare ONNX Runtime's functions by slot. Every slot against the official header, where there
// is one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>

#include "base/file.h"
#include "tests/runtime/c_header.h"
#include "tests/runtime/slots.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// ---- the official header

std::vector<Path> header_folders() {
  std::vector<Path> folders;
  if (const char* chosen = std::getenv("HONE_ORT_INCLUDE")) folders.emplace_back(chosen);
  for (const char* root :
       {HONE_SOURCE_DIR "/build/include", "/usr/include", "/usr/local/include"}) {
    for (const char* below : {"", "onnxruntime", "onnxruntime/core/session"})
      folders.push_back(Path(root) / below);
  }
  return folders;
}

std::optional<Path> find_header(const std::string& name) {
  for (const Path& folder : header_folders()) {
    if (std::filesystem::exists(folder / name)) return folder / name;
  }
  return std::nullopt;
}

class OfficialHeader : public testing::Test {
 protected:
  void SetUp() override {
    const auto file = find_header("onnxruntime_c_api.h");
    if (!file) {
      GTEST_SKIP() << "no onnxruntime_c_api.h in $HONE_ORT_INCLUDE or the usual folders, and no "
                      "package of Debian 12 has one";
    }
    const auto text = read_file(*file);
    ASSERT_TRUE(text) << text.error().what;
    const auto version = read_api_version(*text);
    if (!version) GTEST_SKIP() << file->string() << ": " << version.error().what;
    file_ = *file;
    text_ = *text;
    version_ = *version;
  }

  // Every slot the header has is the function we take it for, and we ask no library of that version
  // for one it has not.
  void expect_agreement(const Slots& slots, const std::string& table) const {
    const auto functions = read_table(text_, table);
    if (!functions) GTEST_SKIP() << file_.string() << ": " << functions.error().what;
    std::size_t checked = 0;
    for (const Slot& ours : slots) {
      const bool is_there = ours.slot < functions->size();
      EXPECT_EQ(is_there, ours.since <= version_) << ours.name;
      if (!is_there) continue;
      EXPECT_EQ(ours.name, (*functions)[ours.slot]) << table << " slot " << ours.slot;
      ++checked;
    }
    std::printf("%zu of our %zu slots of %s are in %s (1.%d)\n", checked, slots.size(),
                table.c_str(), file_.c_str(), version_);
  }

  Path file_;
  std::string text_;
  int version_ = 0;
};

TEST_F(OfficialHeader, HasOurFunctionsInOurSlots) { expect_agreement(api_slots, "OrtApi"); }

TEST_F(OfficialHeader, HasOurCompileFunctionsInOurSlots) {
  expect_agreement(compile_slots, "OrtCompileApi");
}

TEST_F(OfficialHeader, HasOurModelEditorFunctionsInOurSlots) {
  expect_agreement(model_editor_slots, "OrtModelEditorApi");
}

TEST_F(OfficialHeader, HasOurEpFunctionsInOurSlots) {
  // From 1.23 on in a header of its own.
  if (version_ >= 23) {
    const auto file = find_header("onnxruntime_ep_c_api.h");
    if (!file) GTEST_SKIP() << "no onnxruntime_ep_c_api.h beside " << file_.string();
    const auto text = read_file(*file);
    ASSERT_TRUE(text) << text.error().what;
    text_ = *text;
  }
  expect_agreement(ep_slots, "OrtEpApi");
}

// ---- the lists themselves

TEST(SlotLists, NameEachFunctionAndEachSlotOnce) {
  for (const Slots* slots : {&api_slots, &compile_slots, &ep_slots, &model_editor_slots}) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < slots->size(); ++i) {
      EXPECT_TRUE(names.insert((*slots)[i].name).second) << (*slots)[i].name;
      if (i == 0) continue;
      EXPECT_LT((*slots)[i - 1].slot, (*slots)[i].slot) << (*slots)[i].name;
      EXPECT_LE((*slots)[i - 1].since, (*slots)[i].since) << (*slots)[i].name;
    }
  }
}

// ---- the reader

TEST(HeaderReader, KnowsTheFourWaysToDeclareAFunction) {
  const auto functions = read_table(R"(
    struct OrtApi;  // declared before
    struct OrtApi {
      /** \brief { braces; in a comment } */
      OrtStatus*(ORT_API_CALL* CreateStatus)(OrtErrorCode code, _In_ const char* msg)NO_EXCEPTION;
    #if defined(ORT_MINIMAL_BUILD)
      const bool not_defined_in_this_build;
    #else
      ORT_API2_STATUS(CreateSession, _In_ const OrtEnv* env,
                      _Outptr_ OrtSession** out);  // ; and more
    #endif
      ORT_CLASS_RELEASE(Env);
      ORT_API_T(const char*, GetName, _In_ const OrtNode* node);
    };)",
                                    "OrtApi");
  ASSERT_TRUE(functions) << functions.error().what;
  EXPECT_THAT(*functions, ElementsAre("CreateStatus", "CreateSession", "ReleaseEnv", "GetName"));
}

TEST(HeaderReader, SaysWhatItDoesNotUnderstand) {
  const auto problem = [](std::string_view text) {
    const auto functions = read_table(text, "OrtApi");
    return functions ? "(it was read)" : functions.error().what;
  };
  EXPECT_EQ(problem(""), "it has no struct OrtApi");
  EXPECT_EQ(problem("struct OrtApi;"), "it has no struct OrtApi");
  EXPECT_EQ(problem("#endif\n#else\n#if"), "it has no struct OrtApi");
  EXPECT_EQ(problem("struct OrtApi {"), "its struct OrtApi does not end");
  EXPECT_EQ(problem("struct OrtApi { /* "), "its struct OrtApi does not end");
  EXPECT_EQ(problem("struct OrtApi { union { int x; }; };"), "its struct OrtApi does not end");
  EXPECT_EQ(problem("struct OrtApi { uint32_t version; };"),
            "it has a member that is no function: uint32_t version");
  EXPECT_EQ(problem("struct OrtApi { ORT_API2_STATUS; };"),
            "it has a member that is no function: ORT_API2_STATUS");
  EXPECT_EQ(problem("struct OrtApi { f(ORT_API_CALL };"),
            "it has a member that is no function: f ( ORT_API_CALL");
  EXPECT_EQ(problem(std::string("struct OrtApi { \x1b[2J; };")),
            "it has a member that is no function: \\x1b [ 2J");
  EXPECT_EQ(read_api_version("#define ORT_API_VERSION 24\n").value(), 24);
  EXPECT_FALSE(read_api_version("#define ORT_API_VERSION "));
}

}  // namespace
}  // namespace hone
