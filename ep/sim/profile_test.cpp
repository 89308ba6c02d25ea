#include "ep/sim/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ep/element_types.h"

namespace hone::ep::sim {
namespace {

using ::testing::HasSubstr;

ValueType tensor(std::string_view element, std::vector<std::optional<std::int64_t>> dims) {
  ValueType type;
  type.kind = type_tensor;
  type.element = element_named(element).value();
  type.shape.emplace();
  for (const auto& dim : dims) type.shape->push_back({dim, ""});
  return type;
}

GraphNode node(std::string op, ValueType type) {
  GraphNode made;
  made.op = std::move(op);
  GraphValue value;
  value.type = std::move(type);
  made.inputs.emplace_back(value);
  made.outputs.emplace_back(value);
  return made;
}

Profile profile(std::string_view json) {
  auto made = from_document<Profile>(Json::parse(json).value(), profile_schema);
  EXPECT_TRUE(made) << made.error().what;
  return made ? *made : Profile{};
}

const ValueType image = tensor("float", {1, 3, 8, 8});

TEST(SimProfile, TakesEverythingThatNoRuleSpeaksOf) {
  const Profile empty = profile(R"({"schema_version": 1, "name": "a"})");
  EXPECT_EQ(reason_against(empty, node("Conv", image)), std::nullopt);
}

TEST(SimProfile, TellsTheReasonOfTheRuleThatDenies) {
  const Profile some = profile(R"({"schema_version": 1, "name": "a", "deny": [
      {"ops": ["Softmax"], "reason": "no exponential unit"}, {"ops": ["com.microsoft.Gelu"]}]})");
  EXPECT_EQ(reason_against(some, node("Softmax", image)), "no exponential unit");
  EXPECT_EQ(reason_against(some, node("Gelu", image)), std::nullopt);
  GraphNode gelu = node("Gelu", image);
  gelu.domain = "com.microsoft";
  EXPECT_EQ(reason_against(some, gelu), "denied by the profile");
}

TEST(SimProfile, TakesOnlyWhatAListOfAllowedOpsNames) {
  const Profile some =
      profile(R"({"schema_version": 1, "name": "a", "allow": [{"ops": ["Conv", "Relu"]}]})");
  EXPECT_EQ(reason_against(some, node("Relu", image)), std::nullopt);
  EXPECT_EQ(reason_against(some, node("Erf", image)), "not in the profile's list of allowed ops");
}

TEST(SimProfile, AllowsUnderConditionsThatEveryTensorMeets) {
  const Profile some = profile(R"({"schema_version": 1, "name": "a", "allow": [
      {"ops": ["*"], "types": ["float", "float16"], "min_rank": 2, "max_rank": 4,
       "dynamic_shapes": false}]})");
  EXPECT_EQ(reason_against(some, node("Conv", image)), std::nullopt);
  EXPECT_EQ(reason_against(some, node("Conv", tensor("double", {1, 3}))),
            "type double is not among float, float16");
  EXPECT_EQ(reason_against(some, node("Conv", tensor("float", {1, 2, 3, 4, 5}))),
            "rank 5 is above 4");
  EXPECT_EQ(reason_against(some, node("Conv", tensor("float", {7}))), "rank 1 is below 2");
  EXPECT_EQ(reason_against(some, node("Conv", tensor("float", {std::nullopt, 3}))),
            "its shape is dynamic");
  GraphNode cast = node("Cast", image);
  cast.outputs[0]->type = tensor("int64", {1, 3, 8, 8});
  EXPECT_EQ(reason_against(some, cast), "type int64 is not among float, float16");
}

TEST(SimProfile, DeniesWhenOneTensorMeetsTheConditions) {
  const Profile some = profile(R"({"schema_version": 1, "name": "a", "deny": [
      {"ops": ["*"], "types": ["double"]},
      {"ops": ["Conv"], "min_rank": 5, "reason": "no 3D"},
      {"ops": ["Resize"], "dynamic_shapes": true}]})");
  GraphNode cast = node("Cast", image);
  cast.outputs[0]->type = tensor("double", {1});
  EXPECT_EQ(reason_against(some, cast), "denied by the profile");
  EXPECT_EQ(reason_against(some, node("Conv", image)), std::nullopt);
  EXPECT_EQ(reason_against(some, node("Conv", tensor("float", {1, 2, 3, 4, 5}))), "no 3D");
  EXPECT_EQ(reason_against(some, node("Resize", image)), std::nullopt);
  EXPECT_EQ(reason_against(some, node("Resize", tensor("float", {std::nullopt}))),
            "denied by the profile");
}

TEST(SimProfile, OneOfSeveralAllowingRulesIsEnough) {
  const Profile some = profile(R"({"schema_version": 1, "name": "a", "allow": [
      {"ops": ["Add"], "types": ["int8"], "reason": "only int8 and float"},
      {"ops": ["Add"], "types": ["float"]}]})");
  EXPECT_EQ(reason_against(some, node("Add", image)), std::nullopt);
  EXPECT_EQ(reason_against(some, node("Add", tensor("double", {1}))), "only int8 and float");
}

TEST(SimProfile, CostsAreElementsTimesTheCostOfTheOp) {
  const Profile some = profile(R"({"schema_version": 1, "name": "a", "costs": {"Conv": 2.5}})");
  EXPECT_EQ(cost_of(some, node("Conv", tensor("float", {2, 5}))), 25);
  EXPECT_EQ(cost_of(some, node("Relu", tensor("float", {2, 5}))), 10);
  EXPECT_EQ(cost_of(some, node("Relu", tensor("float", {std::nullopt, 5}))), 5);
}

TEST(SimProfile, KnowsTheSameDeviceByWhatItTakesAndNotByItsSpeed) {
  const Profile a = profile(R"({"schema_version": 1, "name": "a", "deny": [{"ops": ["Erf"]}]})");
  Profile b = a;
  b.latency_us = 100;
  b.effect = 2;
  EXPECT_EQ(identity(a), identity(b));
  b.deny.clear();
  EXPECT_NE(identity(a), identity(b));
}

TEST(SimProfile, RefusesNumbersThatMeanNothing) {
  Profile some;
  some.effect = 0.5;
  EXPECT_THAT(check_profile(some, "p").error().what, HasSubstr("p: effect must be between 1 and"));
  some = {};
  some.costs["Conv"] = -1;
  EXPECT_THAT(check_profile(some, "p").error().what, HasSubstr("the cost of Conv is negative"));
  some = {};
  some.deny.emplace_back().ops = {"Conv"};
  some.deny.back().types = {"fp32"};
  EXPECT_THAT(check_profile(some, "p").error().what, HasSubstr("'fp32' is no element type"));
}

TEST(SimProfile, OfTheExampleIsSound) {
  const auto npu = load_profile(Path(HONE_SOURCE_DIR) / "ep/profiles/npu.json");
  ASSERT_TRUE(npu) << npu.error().what;
  EXPECT_TRUE(check_profile(*npu, "npu"));
  EXPECT_EQ(npu->device, DeviceClass::npu);
  EXPECT_EQ(reason_against(*npu, node("Conv", image)), std::nullopt);
  EXPECT_TRUE(reason_against(*npu, node("Conv", tensor("double", {1, 3, 8, 8}))).has_value());
}

}  // namespace
}  // namespace hone::ep::sim
