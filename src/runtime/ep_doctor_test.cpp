#include "runtime/ep_doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "base/fake_system.h"
#include "kinds/ep.h"
#include "runtime/survey.h"

namespace hone {
namespace {

using testing::HasSubstr;

constexpr auto manifest = R"({"ICD": {"library_path": "libvulkan_driver.so"}})";

// A machine made of names: libraries the loader finds, variables, files below a root.
struct Machine {
  std::set<std::string> libraries;
  std::map<std::string, std::string> variables;
  bool may_open = true;
  FakeSystem files;

  Surroundings surroundings() const {
    Surroundings around;
    around.find_library = [this](const std::string& name) -> Result<Path> {
      if (libraries.contains(name)) return Path("/usr/lib") / name;
      return fail(Fault::not_found, "cannot load", name + ": cannot open shared object file");
    };
    around.variable = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    around.may_open = [this](const Path&) { return may_open; };
    around.root = files.path();
    return around;
  }
};

System system_with(const EpStatus& ep, const std::string& ort = "/opt/ort/libonnxruntime.so") {
  System system;
  system.ort_libraries = {{ort, ort, "1.30.0", true, ""}};
  system.eps = {ep};
  return system;
}

EpStatus failed(const std::string& name) { return {name, EpState::failed, "no adapter", "", {}}; }

Check check_of(const Diagnosis& diagnosis, const std::string& what) {
  for (const Check& check : diagnosis.checks) {
    if (check.what == what) return check;
  }
  ADD_FAILURE() << "there is no check '" << what << "'";
  return {};
}

bool has_check(const Diagnosis& diagnosis, const std::string& what) {
  return std::ranges::any_of(diagnosis.checks,
                             [&](const Check& check) { return check.what == what; });
}

TEST(EpDoctor, NamesTheMissingLibraryAndHowToGetIt) {
  const Machine machine;
  const Diagnosis diagnosis =
      diagnose(system_with(failed("webgpu")), "webgpu", machine.surroundings());
  EXPECT_EQ(diagnosis.ep, "webgpu");
  EXPECT_EQ(diagnosis.status, EpState::failed);
  EXPECT_EQ(check_of(diagnosis, "EP").why, "no adapter");
  const Check loader = check_of(diagnosis, "Vulkan loader");
  EXPECT_EQ(loader.state, CheckState::warn);
  EXPECT_EQ(loader.why, "libvulkan.so.1: cannot open shared object file");
  EXPECT_EQ(loader.hint, "install it (Debian: apt install libvulkan1)");
}

TEST(EpDoctor, FindsLibrariesFilesAndDevicesThatAreThere) {
  Machine machine;
  machine.libraries = {"libvulkan.so.1"};
  machine.files.with("usr/share/vulkan/icd.d/intel.json", manifest).with("dev/dri/renderD128", "");
  const Diagnosis diagnosis =
      diagnose(system_with(failed("webgpu")), "webgpu", machine.surroundings());
  EXPECT_EQ(check_of(diagnosis, "Vulkan loader").state, CheckState::ok);
  EXPECT_EQ(check_of(diagnosis, "Vulkan loader").why, "/usr/lib/libvulkan.so.1");
  EXPECT_EQ(check_of(diagnosis, "Vulkan driver").state, CheckState::ok);
  EXPECT_THAT(check_of(diagnosis, "GPU").why, HasSubstr("dev/dri/renderD128"));
}

TEST(EpDoctor, OneOfSeveralNamesIsEnough) {
  Machine machine;
  machine.libraries = {"libcudart.so.12"};
  const Diagnosis diagnosis = diagnose(system_with(failed("cuda")), "cuda", machine.surroundings());
  EXPECT_EQ(check_of(diagnosis, "CUDA runtime").why, "/usr/lib/libcudart.so.12");
  EXPECT_EQ(check_of(diagnosis, "cuBLAS").state, CheckState::warn);
}

TEST(EpDoctor, AVariableThatNamesTheFilesIsBelievedOnlyIfTheyExist) {
  Machine machine;
  machine.files.with("swiftshader.json", manifest);
  machine.variables["VK_ICD_FILENAMES"] = machine.files.path() / "swiftshader.json";
  const System system = system_with(failed("webgpu"));
  EXPECT_EQ(check_of(diagnose(system, "webgpu", machine.surroundings()), "Vulkan driver").state,
            CheckState::ok);
  machine.variables["VK_ICD_FILENAMES"] = "/nowhere/icd.json";
  const Check driver =
      check_of(diagnose(system, "webgpu", machine.surroundings()), "Vulkan driver");
  EXPECT_EQ(driver.state, CheckState::warn);
  EXPECT_EQ(driver.why, "VK_ICD_FILENAMES names /nowhere/icd.json, which is not there");
}

TEST(EpDoctor, ADeviceThatMayNotBeOpenedIsTold) {
  Machine machine;
  machine.files.with("dev/kfd", "");
  machine.may_open = false;
  const Check device = check_of(
      diagnose(system_with(failed("migraphx")), "migraphx", machine.surroundings()), "ROCm device");
  EXPECT_EQ(device.state, CheckState::warn);
  EXPECT_THAT(device.why, HasSubstr("dev/kfd is there, and this user may not open it"));
  EXPECT_THAT(device.hint, HasSubstr("usermod -aG render"));
}

TEST(EpDoctor, WhatIsNeededForOneDeviceOnlyIsNoWarning) {
  const Machine machine;
  const Check npu = check_of(
      diagnose(system_with(failed("openvino")), "openvino", machine.surroundings()), "NPU");
  EXPECT_EQ(npu.state, CheckState::unknown);
  EXPECT_THAT(npu.why, HasSubstr("/dev/accel/accel*; needed only for the NPU"));
}

TEST(EpDoctor, SaysWhereTheEpsOwnLibraryWasLookedFor) {
  const Machine machine;
  Surroundings around = machine.surroundings();
  around.ep_folders = {"/opt/eps"};
  const Check library = check_of(diagnose(system_with(failed("cuda")), "cuda", around), "CUDA EP");
  EXPECT_EQ(library.state, CheckState::warn);
  EXPECT_EQ(library.why, "not in /opt/eps, /opt/ort");
  EXPECT_THAT(library.hint, HasSubstr("HONE_EP_PATH"));
  EpStatus found = failed("cuda");
  found.library = "/opt/ort/libonnxruntime_providers_cuda.so";
  EXPECT_EQ(check_of(diagnose(system_with(found), "cuda", around), "CUDA EP").state,
            CheckState::ok);
}

// A manifest in a folder of ours, as NVIDIA's driver installs it.
TEST(EpDoctor, SaysWhichVulkanDriverNeedsADisplayAndWhatToUseInstead) {
  Machine machine;
  machine.libraries = {"libvulkan.so.1"};
  machine.files.with("usr/share/vulkan/icd.d/nvidia_icd.json",
                     R"({"file_format_version": "1.0.1",
                         "ICD": {"library_path": "libGLX_nvidia.so.0", "api_version": "1.4.0"}})");
  const System system = system_with(failed("webgpu"));
  const Check driver =
      check_of(diagnose(system, "webgpu", machine.surroundings()), "Vulkan driver");
  EXPECT_EQ(driver.state, CheckState::warn);
  EXPECT_THAT(driver.why, HasSubstr("nvidia_icd.json names libGLX_nvidia.so.0, which does not "
                                    "start without a display, and there is none"));
  EXPECT_THAT(driver.hint, HasSubstr("libEGL_nvidia"));
  EXPECT_THAT(driver.hint, HasSubstr("VK_ICD_FILENAMES"));
  machine.variables["DISPLAY"] = ":0";
  EXPECT_EQ(check_of(diagnose(system, "webgpu", machine.surroundings()), "Vulkan driver").state,
            CheckState::ok);
}

TEST(EpDoctor, OneVulkanDriverThatMayStartIsEnough) {
  Machine machine;
  machine.files
      .with("usr/share/vulkan/icd.d/a_nvidia.json",
            R"({"ICD": {"library_path": "libGLX_nvidia.so.0"}})")
      .with("usr/share/vulkan/icd.d/lavapipe.json",
            R"({"ICD": {"library_path": "libvulkan_lvp.so"}})");
  const Check driver = check_of(
      diagnose(system_with(failed("webgpu")), "webgpu", machine.surroundings()), "Vulkan driver");
  EXPECT_EQ(driver.state, CheckState::ok) << driver.why;
  EXPECT_THAT(driver.why, HasSubstr("lavapipe.json"));
}

TEST(EpDoctor, AManifestThatNamesNoDriverIsNone) {
  Machine machine;
  machine.files.with("usr/share/vulkan/icd.d/broken.json", "{}");
  const Check driver = check_of(
      diagnose(system_with(failed("webgpu")), "webgpu", machine.surroundings()), "Vulkan driver");
  EXPECT_EQ(driver.state, CheckState::warn);
  EXPECT_THAT(driver.why, HasSubstr("broken.json names no driver"));
}

TEST(EpDoctor, SaysWhatTheWordsOfAFailureMean) {
  const Machine machine;
  EpStatus cuda = failed("cuda");
  cuda.reason = "libcudnn.so.9: cannot open shared object file: No such file or directory";
  const Diagnosis diagnosis = diagnose(system_with(cuda), "cuda", machine.surroundings());
  const auto means = [](const Check& check) {
    return check.why ==
           "the EP was built for cuDNN, "
           "which is not found";
  };
  EXPECT_TRUE(std::ranges::any_of(diagnosis.checks, means));
  EpStatus webgpu = failed("webgpu");
  webgpu.reason = "killed by SIGABRT";
  EXPECT_THAT(
      check_of(diagnose(system_with(webgpu), "webgpu", machine.surroundings()), "Vulkan").why,
      HasSubstr("without a display"));
}

// A library as the linker made it, which asks for a function that this ONNX Runtime does not have.
// Only its name and its version stand in for those of NVIDIA's EP.
TEST(EpDoctor, NamesTheVersionsOfALibraryForAnotherOnnxRuntime) {
  const char* chosen = std::getenv("HONE_ORT");
  const std::string ort =
      chosen != nullptr ? chosen : HONE_SOURCE_DIR "/build/lib/libonnxruntime.so.1";
  if (!std::filesystem::exists(ort))
    GTEST_SKIP() << "no ONNX Runtime at " << ort << ": run make setup";
  SurveyRequest request;
  request.program = HONE_PROGRAM;
  request.ort = {ort};
  request.ep_libraries = {{"cuda", HONE_UNDEFINED_EP}};
  request.only_ep = "cuda";
  const auto system = survey_system(request, {.loading = std::chrono::minutes(2)});
  ASSERT_TRUE(system) << system.error().what;
  const Machine machine;
  const Diagnosis diagnosis = diagnose(*system, "cuda", machine.surroundings());
  EXPECT_THAT(diagnosis.reason, HasSubstr("undefined symbol: Provider_GetHost"));
  const Check version = check_of(diagnosis, "version");
  EXPECT_EQ(version.state, CheckState::warn);
  EXPECT_EQ(version.why, "ONNX Runtime is " + *system->runtime()->version +
                             " and the EP's library 1.29.0: they have to be of one version");
  EXPECT_THAT(version.hint, HasSubstr("one package"));
}

TEST(EpDoctor, AnAbsentEpComesWithWhereToGetIt) {
  const Machine machine;
  const Diagnosis diagnosis =
      diagnose(system_with({"qnn", EpState::absent, "", "", {}}), "qnn", machine.surroundings());
  EXPECT_EQ(check_of(diagnosis, "EP").why, "ONNX Runtime 1.30.0 has none");
  EXPECT_THAT(check_of(diagnosis, "EP").hint, HasSubstr("onnxruntime-qnn"));
}

TEST(EpDoctor, WhatAWorkingEpDoesWithoutIsNotListed) {
  const Machine machine;
  const Diagnosis diagnosis = diagnose(system_with({"webgpu", EpState::primary, "", "", {"gpu"}}),
                                       "webgpu", machine.surroundings());
  EXPECT_EQ(check_of(diagnosis, "EP").state, CheckState::ok);
  EXPECT_EQ(check_of(diagnosis, "EP").why, "a model of one node ran on it");
  EXPECT_FALSE(has_check(diagnosis, "Vulkan loader"));
}

TEST(EpDoctor, ALibraryThatFailedIsShownWithItsReason) {
  const Machine machine;
  System system = system_with({"sim", EpState::absent, "", "", {}});
  system.eps.push_back({"hone", EpState::failed, "killed by SIGSEGV", "/opt/libhone_ep.so", {}});
  const Check library = check_of(diagnose(system, "sim", machine.surroundings()), "library 'hone'");
  EXPECT_EQ(library.why, "/opt/libhone_ep.so: killed by SIGSEGV");
  EXPECT_THAT(library.hint, HasSubstr("ldd /opt/libhone_ep.so"));
}

TEST(EpDoctor, TheEntryThatWorksCountsWhereAnEpIsThereTwice) {
  const Machine machine;
  System system = system_with(failed("cuda"));
  system.eps.push_back({"cuda", EpState::primary, "", "/opt/cuda.so", {"gpu"}});
  EXPECT_EQ(diagnose(system, "cuda", machine.surroundings()).status, EpState::primary);
}

TEST(EpDoctor, SaysOfEveryPlaceWhyThereIsNoRuntime) {
  const Check check = check_runtime({{"/a.so", std::nullopt, std::nullopt, false, "not there"},
                                     {"b.so", std::nullopt, std::nullopt, false, "too old"}});
  EXPECT_EQ(check.state, CheckState::warn);
  EXPECT_EQ(check.why, "/a.so: not there; b.so: too old");
  EXPECT_THAT(check.hint, HasSubstr("HONE_ORT"));
}

}  // namespace
}  // namespace hone
