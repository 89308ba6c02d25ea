#include "runtime/compile.h"

#include "runtime/target.h"

namespace hone {
namespace {

// OrtCompileApiFlags.
constexpr std::uint32_t error_if_nothing_compiled = 1;
constexpr std::uint32_t error_if_output_exists = 2;

}  // namespace

Status compile_model(const Runtime& runtime, const CompileRequest& request,
                     const SessionSettings& settings) {
  const std::string what =
      "cannot compile '" + request.model.string() + "' for " + describe(settings.target);
  const ort::CompileApi& api = runtime.compile_api();
  if (api.CompileModel == nullptr) {
    return fail(Fault::unsupported, what,
                "ONNX Runtime " + runtime.version() + " has no compile API; 1.22 has");
  }
  HONE_TRY(const Owned<ort::OrtSessionOptions> session, make_session_options(runtime, settings));
  ort::OrtModelCompilationOptions* made = nullptr;
  HONE_TRY_DO(runtime.check(
      api.CreateModelCompilationOptionsFromSessionOptions(runtime.env(), session.get(), &made),
      what));
  const Owned<ort::OrtModelCompilationOptions> options(made, api.ReleaseModelCompilationOptions);
  HONE_TRY_DO(runtime.check(
      api.ModelCompilationOptions_SetInputModelPath(made, request.model.c_str()), what));
  HONE_TRY_DO(runtime.check(
      api.ModelCompilationOptions_SetOutputModelPath(made, request.output.c_str()), what));
  HONE_TRY_DO(
      runtime.check(api.ModelCompilationOptions_SetEpContextEmbedMode(made, request.embeds), what));
  if (api.ModelCompilationOptions_SetFlags != nullptr) {  // 1.23
    HONE_TRY_DO(runtime.check(api.ModelCompilationOptions_SetFlags(
                                  made, error_if_nothing_compiled | error_if_output_exists),
                              what));
  }
  return runtime.check(api.CompileModel(runtime.env(), made), what);
}

}  // namespace hone
