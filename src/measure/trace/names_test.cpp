#include "measure/trace/names.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TraceOperator named(std::string_view raw, std::string_view ep_type = {},
                    const NodeTypes& node_types = {}) {
  TraceOperator op;
  name_operator(op, {raw, ep_type}, node_types);
  return op;
}

TEST(TraceNames, LoseWhatTheRuntimeAppended) {
  EXPECT_EQ(strip_token_suffixes("/a/Conv_token_1_2"), "/a/Conv");
  EXPECT_EQ(strip_token_suffixes("/a/Conv_token_7"), "/a/Conv");
  EXPECT_EQ(strip_token_suffixes("/a/Conv_token_7_token_8_9"), "/a/Conv");
  EXPECT_EQ(strip_token_suffixes("Transpose_token_328_2"), "Transpose");
}

TEST(TraceNames, KeepATokenThatBelongsToTheModel) {
  EXPECT_EQ(strip_token_suffixes("/embeddings/cls_token"), "/embeddings/cls_token");
  EXPECT_EQ(strip_token_suffixes("/embeddings/cls_token_embedding/Add"),
            "/embeddings/cls_token_embedding/Add");
  EXPECT_EQ(strip_token_suffixes("_token_"), "_token_");
  EXPECT_EQ(strip_token_suffixes(""), "");
}

TEST(TraceNames, KeepASuffixThatIsTheModelsOwn) {
  EXPECT_EQ(named("/cls_token_1", {}, {{"/cls_token_1", "Expand"}}).op_path, "/cls_token_1");
  TraceOperator op;
  name_operator(op, {"/cls_token_1", "Expand", TokenSuffix::is_the_models}, {});
  EXPECT_EQ(op.op_path, "/cls_token_1");
}

TEST(TraceNames, TakeTheTypeOfTheModelsNodeFirst) {
  const TraceOperator op = named("/a/Conv_token_1_2", "Conv2d", {{"/a/Conv", "Conv"}});
  EXPECT_EQ(op.name, "Conv");
  EXPECT_EQ(op.op_type, "Conv");
  EXPECT_EQ(op.op_path, "/a/Conv");
  EXPECT_EQ(op.type_source, TypeSource::onnx);
}

TEST(TraceNames, FindTheNodeBehindANumberedCopy) {
  EXPECT_EQ(named("/a/Add_3", {}, {{"/a/Add", "Sum"}}).op_type, "Sum");
  EXPECT_EQ(named("/a/Add_3", {}, {{"/a/Add", "Sum"}, {"/a/Add_3", "Add"}}).op_type, "Add");
}

TEST(TraceNames, TakeTheTypeOfTheEpWhereTheModelHasNoSuchNode) {
  const TraceOperator op = named("/a/Conv_token_1_2", "Conv2d", {{"/b/Conv", "Conv"}});
  EXPECT_EQ(op.name, "Conv2d");
  EXPECT_EQ(op.op_path, "/a/Conv");
  EXPECT_EQ(op.type_source, TypeSource::ep);
}

TEST(TraceNames, FallBackToTheLastPartOfThePath) {
  const TraceOperator op = named("/layers.0/Add_3");
  EXPECT_EQ(op.name, "Add_3");
  EXPECT_EQ(op.op_type, "Add");
  EXPECT_EQ(op.type_source, TypeSource::path);
  EXPECT_EQ(named("  Input ").op_path, "Input");
}

TEST(TraceNames, KeepTheRawNameWhereThePathHasNoLastPart) {
  const TraceOperator op = named("/layers.0/");
  EXPECT_EQ(op.name, "/layers.0/");
  EXPECT_EQ(op.type_source, TypeSource::raw);
  EXPECT_EQ(named("_token_1").op_path, "_token_1") << "nothing but a suffix stays as it is";
}

TEST(TraceNames, AreNotTakenForANumberAlone) {
  EXPECT_EQ(named("_3").op_type, "_3");
  EXPECT_EQ(named("Add_").op_type, "Add_");
  EXPECT_EQ(named("Add", {}, {{"", "Relu"}}).op_type, "Add") << "a node without a name is no match";
}

}  // namespace
}  // namespace hone
