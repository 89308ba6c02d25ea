// Our figures beside those of published implementations: tests/fixtures/metrics has both, and how
// they were made.

#include <gtest/gtest.h>

#include <map>

#include "base/file.h"
#include "base/json.h"
#include "inspect/eval/metrics/answers.h"
#include "inspect/eval/metrics/classes.h"
#include "inspect/eval/metrics/edits.h"
#include "inspect/eval/metrics/entities.h"
#include "inspect/eval/metrics/ngrams.h"
#include "inspect/eval/metrics/objects.h"
#include "inspect/eval/metrics/pixels.h"
#include "inspect/eval/metrics/ranks.h"

namespace hone {
namespace {

constexpr double close = 1e-9;

Json::Array cases_of(const std::string& name) {
  const Path file = Path(HONE_SOURCE_DIR) / "tests/fixtures/metrics" / (name + ".json");
  const Json document = Json::parse(read_file(file).value()).value();
  return *document.find("cases")->as_array();
}

double number(const Json& object, const char* key) { return object.find(key)->to_double().value(); }

std::string text(const Json& object, const char* key) { return *object.find(key)->as_string(); }

std::vector<double> numbers(const Json& object, const char* key) {
  std::vector<double> all;
  for (const Json& one : *object.find(key)->as_array()) all.push_back(one.to_double().value());
  return all;
}

std::vector<std::string> texts(const Json& array) {
  std::vector<std::string> all;
  for (const Json& one : *array.as_array()) all.push_back(*one.as_string());
  return all;
}

TEST(ClassFigures, AreThoseOfScikitLearn) {
  for (const Json& one : cases_of("classes")) {
    const std::vector<double> expected = numbers(one, "expected");
    const std::vector<double> got = numbers(one, "got");
    std::vector<ClassCount> counts;
    for (std::size_t i = 0; i < got.size(); ++i) {
      counts.push_back(
          {static_cast<std::uint32_t>(expected[i]), static_cast<std::uint32_t>(got[i]), 1});
    }
    EXPECT_NEAR(accuracy_of(counts), number(one, "accuracy"), close);
    EXPECT_NEAR(macro_f1(counts), number(one, "macro"), close) << one.dump(-1);
    EXPECT_NEAR(binary_f1(counts, 1), number(one, "binary"), close) << one.dump(-1);
    EXPECT_NEAR(matthews_correlation(counts), number(one, "mcc"), close) << one.dump(-1);
  }
}

TEST(EntityF1, IsThatOfSeqeval) {
  for (const Json& one : cases_of("entities")) {
    EntityCounts sum;
    const Json::Array& expected = *one.find("expected")->as_array();
    const Json::Array& got = *one.find("got")->as_array();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const EntityCounts counts = count_entities(texts(expected[i]), texts(got[i]));
      sum.right += counts.right;
      sum.expected += counts.expected;
      sum.got += counts.got;
    }
    const double f1 = entity_f1(static_cast<double>(sum.right), static_cast<double>(sum.expected),
                                static_cast<double>(sum.got));
    EXPECT_NEAR(f1, number(one, "f1"), close) << one.dump(-1);
  }
}

ChrfCounts chrf_counts_of(const Json& one) {
  if (one.find("all") == nullptr) return chrf_counts(text(one, "expected"), text(one, "got"));
  ChrfCounts sum{};
  for (const Json& pair : *one.find("all")->as_array()) {
    const std::vector<std::string> both = texts(pair);
    const ChrfCounts counts = chrf_counts(both[0], both[1]);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i].got += counts[i].got;
      sum[i].expected += counts[i].expected;
      sum[i].both += counts[i].both;
    }
  }
  return sum;
}

TEST(Ngrams, AreCountedAsSacrebleuAndRougeScoreDo) {
  for (const Json& one : cases_of("ngrams")) {
    const ChrfCounts counts = chrf_counts_of(one);
    EXPECT_NEAR(chrf_of(std::span(counts).first(chrf_characters)), number(one, "chrf"), close)
        << one.dump(-1);
    EXPECT_NEAR(chrf_of(counts), number(one, "chrfpp"), close) << one.dump(-1);
    if (one.find("rouge_l") != nullptr) {
      EXPECT_NEAR(rouge_l(text(one, "expected"), text(one, "got")), number(one, "rouge_l"), close)
          << one.dump(-1);
    }
  }
}

double error_rate(const Json& one, EditCount (*count)(std::string_view, std::string_view)) {
  EditCount sum;
  const auto add = [&](const std::string& expected, const std::string& got) {
    const EditCount counts = count(expected, got);
    sum.edits += counts.edits;
    sum.length += counts.length;
  };
  if (const Json* all = one.find("all")) {
    for (const Json& pair : *all->as_array()) add(texts(pair)[0], texts(pair)[1]);
  } else {
    add(text(one, "expected"), text(one, "got"));
  }
  return static_cast<double>(sum.edits) / static_cast<double>(sum.length);
}

TEST(ErrorRates, AreThoseOfJiwer) {
  for (const Json& one : cases_of("edits")) {
    EXPECT_NEAR(error_rate(one, word_edits), number(one, "wer"), close) << one.dump(-1);
    EXPECT_NEAR(error_rate(one, character_edits), number(one, "cer"), close) << one.dump(-1);
  }
}

TEST(ErrorRates, CompareWhatIsSpoken) {
  EXPECT_EQ(spoken_form("  Hello,  WORLD! It’s “3.14” — naïve-ish\tÜBER\n"),
            "hello world it's 3 14 naïve ish über");
}

TEST(Answers, AreJudgedAsSquadDoes) {
  for (const Json& one : cases_of("answers")) {
    const AnswerScore score = score_answer(texts(*one.find("answers")), text(one, "got"));
    EXPECT_EQ(plain_answer(text(one, "got")), text(one, "plain"));
    EXPECT_NEAR(score.exact, number(one, "exact"), close) << one.dump(-1);
    EXPECT_NEAR(score.f1, number(one, "f1"), close) << one.dump(-1);
  }
}

TEST(Answers, WhereThereIsNoneAnEmptyOneIsRight) {
  EXPECT_EQ(score_answer({}, "").f1, 1);
  EXPECT_EQ(score_answer({}, "Paris").f1, 0);
}

TEST(Orders, AreThoseOfScipyAndScikitLearn) {
  for (const Json& one : cases_of("ranks")) {
    EXPECT_NEAR(spearman(numbers(one, "a"), numbers(one, "b")), number(one, "spearman"), close);
    std::multimap<double, double, std::greater<>> by_score;
    const std::vector<double> gains = numbers(one, "gains");
    const std::vector<double> scores = numbers(one, "scores");
    for (std::size_t i = 0; i < gains.size(); ++i) by_score.emplace(scores[i], gains[i]);
    std::vector<double> ordered;
    for (const auto& [score, gain] : by_score) ordered.push_back(gain);
    EXPECT_NEAR(ndcg_at(ordered, gains, 10), number(one, "ndcg"), close);
  }
}

TEST(Orders, CountAPairAsOftenAsItWasDrawn) {
  const std::vector<double> a = {1, 2, 2, 5, 4};
  const std::vector<double> b = {2, 1, 3, 9, 9};
  const std::vector<std::uint32_t> times = {2, 0, 3, 1, 1};
  const std::vector<double> drawn_a = {1, 1, 2, 2, 2, 5, 4};
  const std::vector<double> drawn_b = {2, 2, 3, 3, 3, 9, 9};
  EXPECT_NEAR(spearman(a, b, times), spearman(drawn_a, drawn_b), close);
}

TEST(Pixels, AreJudgedAsScikitLearnAndScikitImageDo) {
  for (const Json& one : cases_of("pixels")) {
    const std::vector<double> expected = numbers(one, "expected");
    const std::vector<double> got = numbers(one, "got");
    std::vector<RegionCounts> classes(8);
    for (std::size_t i = 0; i < got.size(); ++i) {
      ++classes[static_cast<std::size_t>(expected[i])].expected;
      ++classes[static_cast<std::size_t>(got[i])].got;
      if (expected[i] == got[i]) ++classes[static_cast<std::size_t>(got[i])].both;
    }
    EXPECT_NEAR(mean_iou(classes), number(one, "miou"), close);
    const std::vector<double> a = numbers(one, "one");
    const std::vector<double> b = numbers(one, "other");
    const auto width = static_cast<std::size_t>(number(one, "width"));
    const auto height = static_cast<std::size_t>(number(one, "height"));
    EXPECT_NEAR(psnr_of(a, b, 255), number(one, "psnr"), close);
    EXPECT_NEAR(ssim_of({width, height, a}, {width, height, b}, 255), number(one, "ssim"), close);
  }
}

TEST(Depth, IsJudgedAfterTheBestFit) {
  const std::vector<double> expected = {1, 2, 4, 8};
  const std::vector<double> got = {0.1, 0.2, 0.4, 0.8};
  const Fit fit = fit_to(expected, got);
  EXPECT_NEAR(fit.scale, 10, close);
  EXPECT_NEAR(fit.shift, 0, close);
  const DepthErrors errors = depth_errors(expected, std::vector<double>{1.2, 2, 3, 8});
  EXPECT_NEAR(errors.relative, (0.2 + 0 + 0.25 + 0) / 4, close);
  EXPECT_NEAR(errors.within, 0.75, close);
}

// --- Objects

std::vector<Keypoint> keypoints_of(const Json& object) {
  std::vector<Keypoint> points;
  if (object.find("keypoints") == nullptr) return points;
  const std::vector<double> all = numbers(object, "keypoints");
  for (std::size_t i = 0; i + 2 < all.size(); i += 3)
    points.push_back({all[i], all[i + 1], all[i + 2]});
  return points;
}

Box box_of(const Json& object) {
  if (object.find("bbox") == nullptr) return {};
  const std::vector<double> sides = numbers(object, "bbox");
  return {sides[0], sides[1], sides[2], sides[3]};
}

struct Picture {
  std::vector<KnownObject> known;
  std::vector<FoundObject> found;
};

std::vector<Picture> pictures_of(const Json& one) {
  std::vector<Picture> pictures(static_cast<std::size_t>(number(one, "pictures")));
  const auto at = [&](const Json& object) -> Picture& {
    return pictures[static_cast<std::size_t>(number(object, "image_id")) - 1];
  };
  for (const Json& object : *one.find("known")->as_array()) {
    at(object).known.push_back({static_cast<std::uint32_t>(number(object, "category_id")),
                                box_of(object), number(object, "area"),
                                number(object, "iscrowd") > 0, keypoints_of(object)});
  }
  for (const Json& object : *one.find("found")->as_array()) {
    at(object).found.push_back({static_cast<std::uint32_t>(number(object, "category_id")),
                                box_of(object), number(object, "score"), keypoints_of(object)});
  }
  return pictures;
}

// All, small, medium and large; keypoints are not asked for small ones.
std::vector<MatchRules> areas_of(const Json& one) {
  MatchRules all;
  all.most = static_cast<std::size_t>(number(one, "most"));
  all.by_keypoints = *one.find("keypoints")->as_bool();
  MatchRules small = all;
  small.largest_area = 32 * 32;
  MatchRules medium = all;
  medium.least_area = 32 * 32;
  medium.largest_area = 96 * 96;
  MatchRules large = all;
  large.least_area = 96 * 96;
  if (all.by_keypoints) return {all, medium, large};
  return {all, small, medium, large};
}

TEST(AveragePrecision, IsThatOfPycocotools) {
  for (const Json& one : cases_of("objects")) {
    const std::vector<Picture> pictures = pictures_of(one);
    const std::vector<MatchRules> areas = areas_of(one);
    const Json::Array& figures = *one.find("figures")->as_array();
    ASSERT_EQ(figures.size(), areas.size());
    for (std::size_t area = 0; area < areas.size(); ++area) {
      std::vector<std::vector<ClassMatches>> matches;
      for (const Picture& picture : pictures)
        matches.push_back(match_objects(picture.known, picture.found, areas[area]));
      const AveragePrecision precision(matches);
      const Json::Array& wanted = *figures[area].as_array();
      EXPECT_NEAR(precision.mean(0, 9), wanted[0].to_double().value(), close) << one.dump(-1);
      EXPECT_NEAR(precision.mean(0, 0), wanted[1].to_double().value(), close);
      EXPECT_NEAR(precision.mean(5, 5), wanted[2].to_double().value(), close);
    }
  }
}

TEST(AveragePrecision, CountsAPictureAsOftenAsItWasDrawn) {
  for (const Json& one : cases_of("objects")) {
    std::vector<std::vector<ClassMatches>> matches;
    std::vector<std::vector<ClassMatches>> drawn;
    std::vector<std::uint32_t> times;
    double lower = 0;
    std::vector<Picture> pictures = pictures_of(one);
    for (Picture& picture : pictures) {
      // Equal scores would come in the order of the pictures, which is another one once drawn.
      for (FoundObject& found : picture.found) found.score -= lower += 1e-9;
      matches.push_back(match_objects(picture.known, picture.found));
      times.push_back(static_cast<std::uint32_t>(times.size() % 3));
      drawn.insert(drawn.end(), times.back(), matches.back());
    }
    EXPECT_NEAR(AveragePrecision(matches).mean(0, 9, times), AveragePrecision(drawn).mean(0, 9),
                close);
  }
}

TEST(Keypoints, AreNearWithinAShareOfTheLongerSide) {
  const KnownObject known{.kind = 0,
                          .box = {0, 0, 50, 100},
                          .area = 5000,
                          .keypoints = {{10, 10, 2}, {20, 20, 1}, {30, 30, 0}}};
  const std::vector<Keypoint> found = {{10, 30, 0}, {20, 40.1, 0}, {30, 30, 0}};
  const KeypointCounts counts = count_near(found, known, 0.2);
  EXPECT_EQ(counts.labelled, 2);
  EXPECT_EQ(counts.near, 1);
}

}  // namespace
}  // namespace hone
