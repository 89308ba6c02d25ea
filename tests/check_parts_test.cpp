// Models beside a reference on the real ONNX Runtime: the best of many rows are taken by scores of
// which rounding may decide.

#include "inspect/parts/check_parts.h"

#include <gtest/gtest.h>

#include "model/npz/npz.h"
#include "model/text/text.h"
#include "real_runtime.h"

namespace hone {
namespace {

TensorPtr floats(const std::string& name, std::vector<std::int64_t> dims,
                 const std::vector<float>& numbers) {
  const TensorPtr flat = make_float_tensor(name, numbers);
  return make_tensor(name, ElementType::float32, std::move(dims), flat->dense);
}

class BestRows : public testing::Test {
 protected:
  // Takes two of four rows by their scores; what it makes of them depends on their order.
  BestRows() {
    const Model model = parse_text(R"(<ir_version: 8, opset_import: ["": 17]>
takes (float[1, 4] scores, float[1, 4, 1] x) => (float[1, 2, 1] rows, float[1, 2, 1] y)
<int64[1] two = {2}, int64[1] last = {2}, float[1, 2, 1] weights = {1.0, 3.0}>
{
  s = Identity (scores)
  best, places = TopK <axis = 1> (s, two)
  at = Unsqueeze (places, last)
  rows = GatherND <batch_dims = 1> (x, at)
  y = Mul (rows, weights)
})")
                            .value();
    EXPECT_TRUE(save_model(model, folder_.path() / "model.onnx"));
  }

  ExportChecked checked(const std::vector<float>& scores, const std::vector<float>& rows,
                        const std::vector<float>& y) const {
    const Path reference = folder_.path() / "reference.npz";
    EXPECT_TRUE(
        write_npz(reference,
                  {floats("in_scores", {1, 4}, scores), floats("in_x", {1, 4, 1}, {10, 20, 30, 40}),
                   floats("out_rows", {1, 2, 1}, rows), floats("out_y", {1, 2, 1}, y)}));
    const auto made =
        check_parts(onnxruntime(), {.parts = {{"model", (folder_.path() / "model.onnx").string()}},
                                    .reference = reference,
                                    .most_share = 1e-4});
    EXPECT_TRUE(made) << made.error().what << ": " << made.error().cause;
    return made ? *made : ExportChecked{};
  }

  static double most_share(const ExportChecked& checked) {
    double most = 0;
    for (const ComparedOutput& one : checked.reference) most = std::max(most, one.share);
    return most;
  }

  TemporaryFolder folder_ = TemporaryFolder::create("rows").value();
};

TEST_F(BestRows, AreThoseOfTheReferenceWhereRoundingDecides) {
  const ExportChecked made = checked({1.0F, 1.00001F, 0.5F, 0.99995F}, {40, 10}, {40, 30});
  EXPECT_EQ(most_share(made), 0);
  EXPECT_EQ(made.reference.size(), 2U);
  ASSERT_EQ(made.taken_rows.size(), 1U);
  const TakenRows& rows = made.taken_rows.front();
  EXPECT_EQ(rows.part, "model");
  EXPECT_EQ(rows.taken, 2U);
  EXPECT_EQ(rows.places, 4U);
  EXPECT_EQ(rows.elsewhere, 1U) << "the first is another one, the second is the same";
  EXPECT_NEAR(rows.share, 6e-5, 1e-6);
}

TEST_F(BestRows, AreTheModelsOwnWhereTheyAreThoseOfTheReference) {
  const ExportChecked made = checked({1.0F, 1.00001F, 0.5F, 0.99995F}, {20, 10}, {20, 30});
  EXPECT_EQ(most_share(made), 0);
  EXPECT_TRUE(made.taken_rows.empty());
}

TEST_F(BestRows, AreNotThoseOfTheReferenceWhereOthersAreBetter) {
  const ExportChecked left_out = checked({1.0F, 0.9F, 0.5F, 0.4F}, {10, 30}, {10, 90});
  EXPECT_GT(most_share(left_out), 0.1);
  EXPECT_TRUE(left_out.taken_rows.empty());
  const ExportChecked in_disorder = checked({1.0F, 0.9F, 0.5F, 0.4F}, {20, 10}, {20, 30});
  EXPECT_GT(most_share(in_disorder), 0.1);
  EXPECT_TRUE(in_disorder.taken_rows.empty());
}

TEST_F(BestRows, DoNotExcuseWhatDiffersOnThem) {
  const ExportChecked made = checked({1.0F, 1.00001F, 0.5F, 0.4F}, {10, 20}, {10, 61});
  ASSERT_EQ(made.taken_rows.size(), 1U);
  EXPECT_NEAR(most_share(made), 1.0 / 61, 1e-6);
}

}  // namespace
}  // namespace hone
