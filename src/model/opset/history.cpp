#include "model/opset/history.h"

#include <unordered_map>

#include "model/opset/adapters.h"

namespace hone::opset {
namespace {

using enum ElementType;

constexpr Types bf16 = one(bfloat16);
constexpr Types f16 = one(float16);
constexpr Types f8 =
    one(float8e4m3fn) | one(float8e4m3fnuz) | one(float8e5m2) | one(float8e5m2fnuz);
constexpr Types i4 = one(int4) | one(uint4);
constexpr Types f4 = one(float4e2m1);
constexpr Types e8m0 = one(float8e8m0);
constexpr Types i2 = one(int2) | one(uint2);
constexpr Types bytes = one(int8) | one(uint8);
constexpr Types shorts = one(int16) | one(uint16);
constexpr Types wide_ints = one(int32) | one(int64) | one(uint32) | one(uint64);
constexpr Types floats = one(float16) | one(float32) | one(float64);
constexpr Types complex = one(complex64) | one(complex128);

Step widened(int version, Types added) { return {.version = version, .added = added}; }
Step clarified(int version) { return {.version = version}; }  // words and checks, not meaning
Step negative(int version, std::string_view attribute) {
  return {.version = version, .negative = attribute};
}
Step brings(int version, std::vector<NewAttribute> attributes, Types added = 0) {
  return {.version = version, .added = added, .brought = std::move(attributes)};
}
Step moves(int version, std::vector<MovedAttribute> attributes, Types added = 0) {
  return {.version = version, .added = added, .moved = std::move(attributes)};
}
Step adapted(int version, Adapter up, Adapter down, Types added = 0) {
  return {.version = version, .added = added, .up = up, .down = down};
}
// The same step with a look at the node first.
Step checked(Step step, Adapter up, Adapter down) {
  step.up = up;
  step.down = down;
  return step;
}
Step checked(Step step, Adapter down) { return checked(std::move(step), nullptr, down); }

// Types that ops which only carry data took up together, opset by opset.
std::vector<Step> carries(std::vector<Step> steps) {
  for (const auto& [version, added] : {std::pair{23, f4}, {24, e8m0}, {25, i2}}) {
    steps.push_back(widened(version, added));
  }
  return steps;
}

std::vector<Step> reduces(int moved_at, std::vector<Step> others = {}) {
  std::vector<Step> steps{negative(11, "axes")};
  const Step move = checked(moves(moved_at, {{"axes", 1, Form::ints}}), reduce_down);
  if (moved_at == 13) {
    steps.push_back(move);
    steps.back().added = bf16;
    return steps;
  }
  if (!others.empty()) steps.push_back(others.front());
  steps.push_back(widened(13, bf16));
  steps.push_back(move);
  if (others.size() > 1) steps.push_back(others.back());
  return steps;
}

std::vector<OpHistory> make_histories() {
  return {
#define HONE_OP(name, since, ...) {#name, since, nullptr, __VA_ARGS__},
#define HONE_EXPANDED_OP(name, since, expand, ...) {#name, since, expand, __VA_ARGS__},
#define HONE_ENDED_OP(name, since, until, ...) {#name, since, nullptr, __VA_ARGS__, until},
#include "model/opset/history.inc"
#undef HONE_ENDED_OP
#undef HONE_EXPANDED_OP
#undef HONE_OP
  };
}

}  // namespace

std::span<const OpHistory> all_histories() {
  static const std::vector<OpHistory> histories = make_histories();
  return histories;
}

const OpHistory* find_history(std::string_view op) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const OpHistory*> by_name;
    for (const OpHistory& history : all_histories()) by_name.emplace(history.op, &history);
    return by_name;
  }();
  const auto found = index.find(op);
  return found == index.end() ? nullptr : found->second;
}

Types type_of(const Type& type, ElementType element) {
  if (type.kind == Type::Kind::sequence) return sequences;
  if (type.kind == Type::Kind::optional) return optionals;
  const auto number = static_cast<int>(element);  // from a file: any number
  return number > 0 && number <= static_cast<int>(ElementType::int2) ? one(element) : 0;
}

}  // namespace hone::opset
