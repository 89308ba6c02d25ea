// The real ONNX Runtime, our own plugin library, and libraries that misbehave.

#include "runtime/survey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "kinds/ep.h"
#include "runtime/worker.h"

namespace hone {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string ort_library() {
  const char* chosen = std::getenv("HONE_ORT");
  return chosen != nullptr ? chosen : HONE_SOURCE_DIR "/build/lib/libonnxruntime.so.1";
}

SurveyRequest request_with(std::map<std::string, std::string> libraries) {
  SurveyRequest request;
  request.program = HONE_PROGRAM;
  request.ort = {ort_library()};
  request.ep_libraries = std::move(libraries);
  return request;
}

EpStatus status_of(const System& system, const std::string& name) {
  for (const EpStatus& ep : system.eps) {
    if (ep.name == name) return ep;
  }
  ADD_FAILURE() << "no EP '" << name << "' is listed";
  return {};
}

class Survey : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(ort_library()))
      GTEST_SKIP() << "no ONNX Runtime at " << ort_library() << ": run make setup";
  }

  // A machine that builds and tests at once is slow, and nothing here is about speed.
  static constexpr SurveyLimits generous = {.loading = 2min, .opening = 2min, .total = 10min};

  static System survey(const SurveyRequest& request, const SurveyLimits& limits = generous) {
    auto system = survey_system(request, limits);
    EXPECT_TRUE(system) << system.error().what;
    return system ? *system : System{};
  }
};

TEST_F(Survey, TheCpuIsPrimaryAndWhatTheRuntimeLacksIsAbsent) {
  const System system = survey(request_with({}));
  ASSERT_NE(system.runtime(), nullptr);
  EXPECT_THAT(*system.runtime()->version, StartsWith("1."));
  const EpStatus cpu = status_of(system, "cpu");
  EXPECT_EQ(cpu.state, EpState::primary) << cpu.reason;
  EXPECT_EQ(cpu.reason, "");
  EXPECT_THAT(cpu.device_types, ElementsAre("cpu"));
  EXPECT_EQ(status_of(system, "sim").state, EpState::absent);
  EXPECT_EQ(status_of(system, "dml").state, EpState::absent);
  EXPECT_THAT(system.devices, Contains(testing::Field(&Device::ep, "CPUExecutionProvider")));
}

TEST_F(Survey, ListsEveryWellKnownEpInTheOrderOfTheTable) {
  const System system = survey(request_with({}));
  std::vector<std::string> names;
  for (const EpStatus& ep : system.eps) names.push_back(ep.name);
  const std::vector<std::string> known = ep_names();
  ASSERT_GE(names.size(), known.size());
  names.resize(known.size());
  EXPECT_EQ(names, known);
}

// Workers inherit it: no Vulkan driver is found while it lives.
class NoVulkanDriver {
 public:
  NoVulkanDriver() { setenv("VK_DRIVER_FILES", "/nowhere/driver.json", 1); }
  ~NoVulkanDriver() { unsetenv("VK_DRIVER_FILES"); }
};

TEST_F(Survey, ABuiltInEpThatOpensNoSessionFailedWithWhatTheRuntimeSaid) {
  const NoVulkanDriver no_driver;
  const EpStatus webgpu = status_of(survey(request_with({})), "webgpu");
  if (webgpu.state == EpState::absent) GTEST_SKIP() << "this ONNX Runtime has no WebGPU";
  EXPECT_EQ(webgpu.state, EpState::failed);
  EXPECT_THAT(webgpu.reason, HasSubstr("WebGPU adapter"));
}

TEST_F(Survey, APluginEpIsPrimaryWithTheDevicesItBrings) {
  const System system = survey(request_with({{"hone.virtual", HONE_EP_LIBRARY}}));
  const EpStatus sim = status_of(system, "sim");
  EXPECT_EQ(sim.state, EpState::primary) << sim.reason;
  EXPECT_EQ(sim.reason, "");
  EXPECT_EQ(sim.library, HONE_EP_LIBRARY);
  EXPECT_THAT(sim.device_types, testing::UnorderedElementsAre("cpu", "gpu", "npu"));
  EXPECT_THAT(system.devices, Contains(AllOf(testing::Field(&Device::ep, "HoneSim"),
                                             testing::Field(&Device::type, "npu"))));
}

TEST_F(Survey, WhatEveryRuntimeHasIsListedOnceWhateverLibrariesAreRegistered) {
  const System system = survey(request_with({{"hone", HONE_EP_LIBRARY}}));
  EXPECT_EQ(std::ranges::count(system.eps, "cpu", &EpStatus::name), 1);
  EXPECT_EQ(std::ranges::count(system.devices, "CPUExecutionProvider", &Device::ep), 1);
}

TEST_F(Survey, ALibraryThatOffersNothingFailed) {
  const EpStatus empty = status_of(survey(request_with({{"empty", HONE_EMPTY_EP}})), "empty");
  EXPECT_EQ(empty.state, EpState::failed);
  EXPECT_EQ(empty.reason, "it registers, and finds no device of its own on this machine");
}

TEST_F(Survey, AnEpThatTakesNoNodeIsPrimaryAndThatIsSaid) {
  const System system = survey(request_with({{"hone", HONE_EP_LIBRARY}}));
  const EpStatus probe = status_of(system, "HoneProbe");
  EXPECT_EQ(probe.state, EpState::primary);
  EXPECT_EQ(probe.reason, "it opens, and left the test model (one float Add) to the CPU");
}

TEST_F(Survey, AnEpWhosePlacementIsNotRecordedIsProvenBySessionsWithoutTheCpu) {
  const EpStatus webgpu = status_of(survey(request_with({})), "webgpu");
  if (webgpu.state != EpState::primary)
    GTEST_SKIP() << "there is no WebGPU to try: " << webgpu.reason;
  EXPECT_EQ(webgpu.reason, "");
}

TEST_F(Survey, WhatFailsIsKeptWithItsReasonAndHidesNothingElse) {
  const TemporaryFolder folder = *TemporaryFolder::create("survey-test");
  const std::string text_file = folder.path() / "notes.so";
  ASSERT_TRUE(write_file(text_file, "this is no library\n"));
  const System system = survey(request_with({{"crashing", HONE_CRASHING_EP},
                                             {"hone", HONE_EP_LIBRARY},
                                             {"missing", folder.path() / "missing.so"},
                                             {"text", text_file}}));
  for (const char* name : {"crashing", "missing", "text"})
    EXPECT_EQ(status_of(system, name).state, EpState::failed) << name;
  EXPECT_THAT(status_of(system, "crashing").reason, HasSubstr("killed by SIGSEGV"));
  EXPECT_EQ(status_of(system, "crashing").library, HONE_CRASHING_EP);
  EXPECT_THAT(status_of(system, "missing").reason, HasSubstr("No such file or directory"));
  EXPECT_THAT(status_of(system, "text").reason, HasSubstr("file too short"));
  EXPECT_EQ(status_of(system, "cpu").state, EpState::primary);
  EXPECT_EQ(status_of(system, "sim").state, EpState::primary);
}

TEST_F(Survey, ALibraryThatHangsIsStoppedAndHidesNothingElse) {
  const SurveyRequest request =
      request_with({{"hanging", HONE_HANGING_EP}, {"hone", HONE_EP_LIBRARY}});
  System system;
  // The limit holds for the innocent too: a slow machine gets more of it.
  for (SurveyLimits limits = generous; const auto loading : {2s, 10s, 60s}) {
    limits.loading = loading;
    system = survey(request, limits);
    if (status_of(system, "sim").state == EpState::primary) break;
  }
  EXPECT_EQ(status_of(system, "sim").state, EpState::primary);
  EXPECT_EQ(status_of(system, "cpu").state, EpState::primary);
  EXPECT_EQ(status_of(system, "hanging").state, EpState::failed);
  EXPECT_THAT(status_of(system, "hanging").reason, HasSubstr("gave no answer within"));
}

TEST_F(Survey, ALibraryThatHoldsNoEpFails) {
  const System system = survey(request_with({{"math", "libm.so.6"}}));
  EXPECT_EQ(status_of(system, "math").state, EpState::failed);
  EXPECT_NE(status_of(system, "math").reason, "");
}

TEST_F(Survey, AFailedLibraryUnderAnEpsNameIsThatEp) {
  const System system = survey(request_with({{"QNN", "/nowhere/libqnn.so"}}));
  EXPECT_EQ(status_of(system, "qnn").state, EpState::failed);
}

TEST_F(Survey, TellsWhatItTriesAndTriesOneEpAloneWhenAsked) {
  SurveyRequest request = request_with({{"hone", HONE_EP_LIBRARY}});
  request.only_ep = "SIM";
  std::vector<std::string> told;
  const auto system =
      survey_system(request, generous, [&](const std::string& doing) { told.push_back(doing); });
  ASSERT_TRUE(system);
  EXPECT_THAT(told, ElementsAre("loading '" + ort_library() + "'", "registering 'hone'",
                                "opening a model on sim"));
  ASSERT_EQ(system->eps.size(), 1u);
  EXPECT_EQ(system->eps[0].name, "sim");
}

TEST_F(Survey, EveryCandidateIsListedAndTheFirstThatWorksIsUsed) {
  SurveyRequest request = request_with({});
  request.ort = {"/nowhere/libonnxruntime.so", "libm.so.6", ort_library(), ort_library()};
  const std::vector<OrtLibrary> libraries = survey_runtimes(request, generous);
  ASSERT_EQ(libraries.size(), 4u);
  EXPECT_EQ(libraries[0].asked, "/nowhere/libonnxruntime.so");
  EXPECT_THAT(libraries[0].reason, StartsWith("cannot open shared object file"));
  EXPECT_FALSE(libraries[0].version);
  EXPECT_THAT(libraries[1].reason, HasSubstr("OrtGetApiBase"));
  EXPECT_TRUE(libraries[2].is_used);
  EXPECT_EQ(libraries[2].path, ort_library());
  EXPECT_TRUE(libraries[3].version);
  EXPECT_FALSE(libraries[3].is_used);
}

Target on(const std::string& ep, const std::string& device) {
  return {.ep = ep, .device = device, .options = {}};
}

TEST_F(Survey, ChoosesTheFirstTargetThatWorksAndPassesOverWhatCrashes) {
  const SurveyRequest request =
      request_with({{"qnn", HONE_CRASHING_EP}, {"hone.virtual", HONE_EP_LIBRARY}});
  const auto choice = choose_target(
      request, {on("qnn", "npu"), on("openvino", "npu"), on("sim", "npu"), on("cpu", "cpu")},
      generous);
  ASSERT_TRUE(choice) << choice.error().what;
  ASSERT_TRUE(choice->first);
  EXPECT_EQ(choice->first->ep, "sim");
  ASSERT_EQ(choice->before.size(), 2u);
  EXPECT_TRUE(choice->before[0].is_here);
  EXPECT_THAT(choice->before[0].reason, HasSubstr("killed by SIGSEGV"));
  EXPECT_FALSE(choice->before[1].is_here);
}

TEST_F(Survey, ChoosesNoTargetForADeviceClassThatTheEpDoesNotOfferHere) {
  // Under a name that does not end in ".virtual" it has the CPU alone.
  const auto choice =
      choose_target(request_with({{"hone", HONE_EP_LIBRARY}}), {on("sim", "npu")}, generous);
  ASSERT_TRUE(choice);
  EXPECT_FALSE(choice->first);
  ASSERT_EQ(choice->before.size(), 1u);
  EXPECT_EQ(choice->before[0].reason, "it has no npu here");
}

TEST(LibraryInAWorker, IsFoundWhereTheLoaderFindsIt) {
  auto worker = Worker::start(HONE_PROGRAM, {});
  ASSERT_TRUE(worker);
  const auto found = worker->find_library("libm.so.6");
  ASSERT_TRUE(found) << found.error().cause;
  EXPECT_EQ(found->filename(), "libm.so.6");
  const auto missing = worker->find_library("libnowhere.so.1");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().fault, Fault::not_found);
  EXPECT_THAT(missing.error().cause, HasSubstr("libnowhere.so.1"));
  EXPECT_FALSE(worker->is_gone());
}

TEST(SurveyWithoutARuntime, FindsEveryEpAbsentAndSaysWhy) {
  SurveyRequest request;
  request.program = HONE_PROGRAM;
  request.ort = {"/nowhere/libonnxruntime.so"};
  const auto system = survey_system(request);
  ASSERT_TRUE(system);
  EXPECT_EQ(system->runtime(), nullptr);
  EXPECT_THAT(system->devices, IsEmpty());
  EXPECT_EQ(status_of(*system, "cpu").state, EpState::absent);
  EXPECT_EQ(status_of(*system, "cpu").reason, "no ONNX Runtime could be loaded");
}

TEST(SurveyWithoutTime, SaysThatItDidNotTry) {
  SurveyRequest request;
  request.program = HONE_PROGRAM;
  request.ort = {"libm.so.6"};
  SurveyLimits limits;
  limits.total = 0ms;
  EXPECT_EQ(survey_runtimes(request, limits).at(0).reason,
            "not tried: the time of the whole survey was over");
}

TEST(SurveyWithoutAProgram, SaysThatNoWorkerCouldBeStarted) {
  SurveyRequest request;
  request.program = "/nowhere/hone";
  request.ort = {"libm.so.6"};
  EXPECT_THAT(survey_runtimes(request).at(0).reason, HasSubstr("/nowhere/hone"));
}

}  // namespace
}  // namespace hone
