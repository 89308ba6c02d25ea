#include "ep/sim/nested_session.h"

#include <cstring>

#include "base/file.h"
#include "model/edit.h"

namespace hone::ep::sim {
namespace {

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> all;
  for (const std::string& name : names) all.push_back(name.c_str());
  return all;
}

Result<Owned<OrtSessionOptions>> make_options(const NestedSession::Settings& settings,
                                              OptimizationLevel level) {
  const Ort& ort = settings.ort;
  HONE_TRY(auto options, make<OrtSessionOptions>(ort, ort.api.ReleaseSessionOptions,
                                                 ort.api.CreateSessionOptions));
  HONE_TRY_DO(
      check(ort, ort.api.SetIntraOpNumThreads(options.get(), static_cast<int>(settings.threads))));
  HONE_TRY_DO(check(ort, ort.api.SetInterOpNumThreads(options.get(), 1)));
  HONE_TRY_DO(check(ort, ort.api.SetSessionGraphOptimizationLevel(options.get(), level)));
  return options;
}

Failure cannot(const char* what, const Error& error) {
  return fail(error.fault, "HoneSim: cannot " + std::string(what) + " the nested model",
              error.what);
}

// The bytes of what ONNX Runtime has written, equal for equal models.
Result<std::string> in_one_order(const Path& written) {
  HONE_TRY(Model model, load_model(written));
  sort_values(model);
  return hone::serialize(model);
}

}  // namespace

NestedSession::NestedSession(const Ort& ort, NestedModel model, Owned<OrtSession> session)
    : ort_(&ort), model_(std::move(model)), session_(std::move(session)) {}

Result<NestedSession> NestedSession::open(const Settings& settings, NestedModel model) {
  const Ort& ort = settings.ort;
  HONE_TRY(const auto options, make_options(settings, optimize_all));
  auto session = make<OrtSession>(ort, ort.api.ReleaseSession, ort.editor.CreateSessionFromModel,
                                  settings.env, model.model.get(), options.get());
  if (!session) return cannot("open", session.error());
  return NestedSession(ort, std::move(model), std::move(session).value());
}

Result<NestedSession> NestedSession::open(const Settings& settings, const std::string& bytes,
                                          std::vector<std::string> inputs,
                                          std::vector<std::string> outputs) {
  const Ort& ort = settings.ort;
  HONE_TRY(const auto options, make_options(settings, optimize_all));
  auto session =
      make<OrtSession>(ort, ort.api.ReleaseSession, ort.api.CreateSessionFromArray, settings.env,
                       static_cast<const void*>(bytes.data()), bytes.size(), options.get());
  if (!session) return cannot("open", session.error());
  NestedModel model;
  model.inputs = std::move(inputs);
  model.outputs = std::move(outputs);
  return NestedSession(ort, std::move(model), std::move(session).value());
}

Result<NestedSession::Results> NestedSession::compute(OrtKernelContext* context) const {
  const auto inputs = pointers(model_.inputs);
  const auto outputs = pointers(model_.outputs);
  std::vector<const OrtValue*> values(inputs.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    HONE_TRY_DO(check(*ort_, ort_->api.KernelContext_GetInput(context, i, &values[i])));
  }
  std::vector<OrtValue*> made(outputs.size(), nullptr);
  const Status status =
      check(*ort_, ort_->api.Run(session_.get(), nullptr, inputs.data(), values.data(),
                                 inputs.size(), outputs.data(), outputs.size(), made.data()));
  Results results;
  for (OrtValue* value : made) results.emplace_back(value, ort_->api.ReleaseValue);
  if (!status) return cannot("run", status.error());
  return results;
}

Status NestedSession::hand_over(OrtKernelContext* context, const Results& results) const {
  const Api& api = ort_->api;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const OrtValue* result = results[i].get();
    HONE_TRY(const auto type,
             make<OrtTensorTypeAndShapeInfo>(*ort_, api.ReleaseTensorTypeAndShapeInfo,
                                             api.GetTensorTypeAndShape, result));
    HONE_TRY(const auto rank, ask<std::size_t>(*ort_, api.GetDimensionsCount, type.get()));
    std::vector<std::int64_t> dims(rank);
    HONE_TRY_DO(check(*ort_, api.GetDimensions(type.get(), dims.data(), rank)));
    OrtValue* output = nullptr;
    HONE_TRY_DO(check(*ort_, api.KernelContext_GetOutput(context, i, dims.data(), rank, &output)));
    HONE_TRY(const auto bytes, ask<std::size_t>(*ort_, api.GetTensorSizeInBytes, result));
    if (bytes == 0) continue;
    HONE_TRY(const void* from, ask<const void*>(*ort_, api.GetTensorData, result));
    HONE_TRY(void* to, ask<void*>(*ort_, api.GetTensorMutableData, output));
    std::memcpy(to, from, bytes);
  }
  return done();
}

// ONNX Runtime writes a model only as a side effect of opening it.
Result<std::string> serialize(const NestedSession::Settings& settings, const NestedModel& model) {
  const Ort& ort = settings.ort;
  HONE_TRY(const TemporaryFolder folder, TemporaryFolder::create("sim"));
  const Path file = folder.path() / "nested.onnx";
  HONE_TRY(const auto options, make_options(settings, optimize_none));
  HONE_TRY_DO(check(ort, ort.api.SetOptimizedModelFilePath(options.get(), file.c_str())));
  const auto session =
      make<OrtSession>(ort, ort.api.ReleaseSession, ort.editor.CreateSessionFromModel, settings.env,
                       model.model.get(), options.get());
  if (!session) return cannot("write", session.error());
  return in_one_order(file);
}

}  // namespace hone::ep::sim
