#include "runtime/ep_doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/fake_system.h"
#include "kinds/ep.h"

namespace hone {
namespace {

using testing::HasSubstr;

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
  machine.files.with("usr/share/vulkan/icd.d/intel.json", "{}").with("dev/dri/renderD128", "");
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
  machine.files.with("swiftshader.json", "{}");
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

TEST(EpDoctor, ALibraryBesideTheRuntimeComesWithTheWordsThatRegisterIt) {
  Machine machine;
  machine.files.with("ort/libonnxruntime_providers_cuda.so", "");
  const std::string ort = machine.files.path() / "ort/libonnxruntime.so";
  const Check library = check_of(
      diagnose(system_with(failed("cuda"), ort), "cuda", machine.surroundings()), "CUDA EP");
  EXPECT_EQ(library.state, CheckState::ok);
  EXPECT_EQ(library.hint, "--ep-library cuda=" + machine.files.path().string() +
                              "/ort/libonnxruntime_providers_cuda.so");
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
