// A model package out of a sweep, opened by ONNX Runtime itself: through the functions it has for
// packages, and each variant as a model of its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "base/library.h"
#include "base/process.h"
#include "catalog/model_package.h"
#include "model/model.h"
#include "real_runtime.h"
#include "runtime/session.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// ONNX Runtime's functions for packages are experimental: they are found by name, not by slot.
class PackageApi {
 public:
  explicit PackageApi(std::shared_ptr<Runtime> runtime) : runtime_(std::move(runtime)) {
    const auto library = Library::load(runtime_->path().string());
    const auto entry = library ? library->symbol("OrtGetApiBase") : Result<void*>(nullptr);
    if (!entry || *entry == nullptr) return;
    const auto base = reinterpret_cast<const ort::ApiBase* (*)()>(*entry);
    constexpr std::uint32_t version = 30;
    constexpr std::size_t get_experimental_function = 422;
    const ort::Table table = base()->GetApi(version);
    if (table == nullptr) return;
    find_ = reinterpret_cast<void* (*)(const char*)>(
        const_cast<void*>(table[get_experimental_function]));
  }

  bool is_there() const { return find_ != nullptr && find("CreateModelPackageContext") != nullptr; }

  // Opens the component on the CPU: the variant that was picked, or what ONNX Runtime says.
  Result<std::string> open(const Path& folder, const std::string& component) const {
    HONE_TRY(const auto options, make_session_options(*runtime_, {}));
    void* chosen = nullptr;
    void* context = nullptr;
    void* picked = nullptr;
    ort::OrtSession* session = nullptr;
    HONE_TRY_DO(call("CreateModelPackageOptionsFromSessionOptions", runtime_->env(), options.get(),
                     &chosen));
    HONE_TRY_DO(call("CreateModelPackageContext", folder.c_str(), &context));
    HONE_TRY_DO(call("SelectComponent", context, component.c_str(), chosen, &picked));
    const char* name = nullptr;
    HONE_TRY_DO(call("ModelPackageComponent_GetSelectedVariantName", picked, &name));
    std::string variant = name;
    HONE_TRY_DO(call("CreateSession", runtime_->env(), picked,
                     static_cast<ort::OrtSessionOptions*>(nullptr), &session));
    runtime_->api().ReleaseSession(session);
    release("ReleaseModelPackageComponentContext", picked);
    release("ReleaseModelPackageContext", context);
    release("ReleaseModelPackageOptions", chosen);
    return variant;
  }

 private:
  void* find(const std::string& name) const {
    return find_(("OrtModelPackageApi_" + name + "_SinceV28").c_str());
  }
  template <class... Arguments>
  Status call(const std::string& name, Arguments... arguments) const {
    const auto function = reinterpret_cast<ort::OrtStatus* (*)(Arguments...)>(find(name));
    if (function == nullptr) return fail(Fault::unsupported, name + " is not there");
    return runtime_->check(function(arguments...), name);
  }
  void release(const std::string& name, void* object) const {
    reinterpret_cast<void (*)(void*)>(find(name))(object);
  }

  std::shared_ptr<Runtime> runtime_;
  void* (*find_)(const char*) = nullptr;
};

class ExportProgram : public ::testing::Test {
 protected:
  static ProcessEnd hone(std::vector<std::string> words, const Path& folder) {
    words.insert(words.begin(), HONE_PROGRAM);
    ProcessOptions options;
    options.folder = folder;
    return run_process(words, options).value();
  }
  void sweep(const std::string& targets) {
    const std::string fixtures = HONE_SOURCE_DIR "/tests/fixtures/tiny/";
    ASSERT_TRUE(write_file(folder_.path() / "catalog.json",
                           R"({"schema_version": 1, "models": [
        {"id": "tiny/bert", "model": ")" +
                               fixtures +
                               R"(bert/torch-opset17.onnx"},
        {"id": "tiny/resnet", "model": ")" +
                               fixtures + R"(resnet-cls/torch-opset17.onnx"}]})"));
    ASSERT_TRUE(write_file(folder_.path() / "targets.json",
                           R"({"schema_version": 1, "targets": [)" + targets + "]}"));
    const ProcessEnd end = hone({"sweep", "--catalog", "catalog.json", "--targets", "targets.json",
                                 "-o", "sweep", "--run-stamp", "one", "-q"},
                                folder_.path());
    ASSERT_TRUE(end.ok()) << end.standard_error;
  }
  void open_all(const Path& package) {
    const auto variants = read_model_package(package);
    ASSERT_TRUE(variants) << variants.error().what << variants.error().cause;
    for (const FoundVariant& variant : *variants) {
      const auto session = Session::open(onnxruntime(), variant.model.string(), {});
      EXPECT_TRUE(session) << variant.name << ": " << session.error().cause;
    }
  }

  TemporaryFolder folder_ = TemporaryFolder::create("export").value();
};

TEST_F(ExportProgram, MakesAPackageThatOnnxRuntimeOpens) {
  sweep(R"({"label": "cpu", "target": {"ep": "cpu", "device": "cpu"}},
           {"label": "any", "target": {"ep": "cpu"}},
           {"label": "npu", "target": {"ep": "qnn", "device": "npu"}, "build_only": true})");
  const ProcessEnd end =
      hone({"export-package", "sweep", "-o", "out.ortpackage", "--format", "json"}, folder_.path());
  ASSERT_TRUE(end.ok()) << end.standard_error;
  const auto made = from_document<ModelPackage>(Json::parse(end.standard_output).value(),
                                                model_package_schema_version);
  ASSERT_TRUE(made) << end.standard_output;
  ASSERT_THAT(made->components, SizeIs(2));
  ASSERT_THAT(made->components[0].variants, SizeIs(3));
  EXPECT_EQ(made->components[0].variants[2].ep, "QNNExecutionProvider");
  // Two targets of the CPU build the same bytes, and those are there once.
  EXPECT_THAT(made->shared_assets, SizeIs(2));
  EXPECT_LT(made->bytes, made->variant_bytes);
  const Path package = folder_.path() / "out.ortpackage";
  open_all(package);
  const PackageApi api(onnxruntime());
  if (!api.is_there()) GTEST_SKIP() << "skipped: this ONNX Runtime opens no packages";
  for (const PackageComponent& component : made->components) {
    const auto opened = api.open(package, component.name);
    ASSERT_TRUE(opened) << opened.error().what << opened.error().cause;
    // Both are for the CPU.
    EXPECT_THAT(*opened, ::testing::AnyOf("cpu", "any"));
  }
}

TEST_F(ExportProgram, TakesOneModelOfASweep) {
  sweep(R"({"label": "cpu", "target": {"ep": "cpu", "device": "cpu"}})");
  const auto exported = [&](const std::string& model) {
    return hone({"export-package", "sweep", "-o", "out", "--model", model}, folder_.path());
  };
  EXPECT_THAT(exported("tiny/brt").standard_error, HasSubstr("did you mean 'tiny/bert'?"));
  EXPECT_TRUE(exported("tiny/bert").ok());
  EXPECT_THAT(*read_model_package(folder_.path() / "out"), SizeIs(1));
  EXPECT_THAT(exported("tiny/bert").standard_error, HasSubstr("exists already"));
}

TEST_F(ExportProgram, SaysWhenTheFilesAreGone) {
  sweep(R"({"label": "cpu", "target": {"ep": "cpu", "device": "cpu"}})");
  std::filesystem::remove_all(folder_.path() / "sweep/store/blobs");
  const ProcessEnd end = hone({"export-package", "sweep", "-o", "out"}, folder_.path());
  EXPECT_FALSE(end.ok());
  EXPECT_THAT(end.standard_error, HasSubstr("are no longer in the store"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out"));
}

// What ONNX Runtime makes of external data in three places.
class ExternalData : public ExportProgram {
 protected:
  // bert with its weights in a file, as a blob each.
  std::pair<PackageEntry, PackageEntry> external_model(ContentStore& store, int opset) {
    const Path file =
        HONE_SOURCE_DIR "/tests/fixtures/tiny/bert/torch-opset" + std::to_string(opset) + ".onnx";
    const Path to = folder_.path() / ("external" + std::to_string(opset));
    std::filesystem::create_directories(to);
    HONE_CHECK(save_model(load_model(file).value(), to / "model.onnx",
                          {.placement = DataPlacement::split, .data_file = {}})
                   .has_value());
    const StoredBlob graph = store.take(to / "model.onnx").value();
    const StoredBlob data = store.take(to / "model.onnx.data").value();
    return {{"model.onnx", graph.sha256, graph.bytes},
            {"model.onnx.data", data.sha256, data.bytes}};
  }
};

TEST_F(ExternalData, SharedByVariantsIsFoundThroughThePackage) {
  ContentStore store = ContentStore::open(folder_.path() / "store").value();
  const auto [graph, data] = external_model(store, 17);
  const std::string again = *read_file(store.find(graph.sha256).value());
  // Another graph on the same weights: an unknown field at the end of the file.
  const StoredBlob changed = store.take_bytes(again + std::string("\xFA\x07\x01x", 4)).value();
  ModelPackage plan;
  plan.name = "bert";
  PackageVariant cpu;
  cpu.name = "cpu";
  cpu.ep = "CPUExecutionProvider";
  cpu.files = {graph, data};
  PackageVariant other = cpu;
  other.name = "other";
  other.ep = "QNNExecutionProvider";
  other.files = {{"model.onnx", changed.sha256, changed.bytes}, data};
  plan.components.push_back({"bert", "tiny/bert", "", {cpu, other}});
  const auto made = write_model_package(plan, store, {}, "test", folder_.path() / "out.ortpackage");
  ASSERT_TRUE(made) << made.error().what << made.error().cause;
  ASSERT_THAT(made->shared_assets, SizeIs(1));
  const PackageApi api(onnxruntime());
  if (!api.is_there()) GTEST_SKIP() << "skipped: this ONNX Runtime opens no packages";
  const auto opened = api.open(folder_.path() / "out.ortpackage", "bert");
  ASSERT_TRUE(opened) << opened.error().what << opened.error().cause;
  EXPECT_EQ(*opened, "cpu");
}

// Why shared weights are named in ort_info.json and not in the model.
TEST_F(ExternalData, OutsideOfTheModelsFolderIsRefusedByOnnxRuntime) {
  ContentStore store = ContentStore::open(folder_.path() / "store").value();
  const auto [graph, data] = external_model(store, 17);
  const std::string inside = "model.onnx.data";
  const std::string outside = "../x/weights.da";  // as long
  std::string bytes = *read_file(store.find(graph.sha256).value());
  for (std::size_t at = bytes.find(inside); at != std::string::npos; at = bytes.find(inside))
    bytes.replace(at, inside.size(), outside);
  for (const char* name : {"m", "x"}) std::filesystem::create_directories(folder_.path() / name);
  ASSERT_TRUE(write_file(folder_.path() / "m/model.onnx", bytes));
  ASSERT_TRUE(store.place(data.sha256, folder_.path() / "x/weights.da"));
  EXPECT_FALSE(Session::open(onnxruntime(), (folder_.path() / "m/model.onnx").string(), {}));
}

}  // namespace
}  // namespace hone
