#include "ep/provider.h"

namespace hone::ep {

ComputeNode::ComputeNode(const Ort& ort) : ort_(ort) {
  CreateState = [](OrtNodeComputeInfo* self, OrtNodeComputeContext*, void** state) -> OrtStatus* {
    *state = self;
    return nullptr;
  };
  Compute = [](OrtNodeComputeInfo* self, void*, OrtKernelContext* context) {
    auto& node = static_cast<ComputeNode&>(*self);
    return answer(node.ort_, [&] { return node.run(context); });
  };
  ReleaseState = [](OrtNodeComputeInfo*, void*) {};
}

Provider::Provider(const Ort& ort, const char* name) : ort_(ort), name_(name) {
  GetName = [](const OrtEp* self) { return static_cast<const Provider*>(self)->name_; };
  GetCapability = [](OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* support) {
    auto& provider = static_cast<Provider&>(*self);
    return answer(provider.ort_, [&] { return provider.claim(graph, support); });
  };
  Compile = [](OrtEp* self, const OrtGraph** graphs, const OrtNode** fused, std::size_t count,
               OrtNodeComputeInfo** computes, OrtNode** contexts) {
    auto& provider = static_cast<Provider&>(*self);
    return answer(provider.ort_,
                  [&] { return provider.compile_all(graphs, fused, count, computes, contexts); });
  };
  ReleaseNodeComputeInfos = [](OrtEp*, OrtNodeComputeInfo** computes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) delete static_cast<ComputeNode*>(computes[i]);
  };
  OnRunStart = [](OrtEp* self, const OrtRunOptions*) {
    auto& provider = static_cast<Provider&>(*self);
    return answer(provider.ort_, [&] { return provider.on_run_start(); });
  };
  GetCompiledModelCompatibilityInfo = [](OrtEp* self, const OrtGraph*) {
    return static_cast<Provider*>(self)->compatibility();
  };
}

Result<CompiledGroup> Provider::compile(const CompileRequest&) {
  return fail(Fault::unsupported, std::string(name_) + " compiles nothing");
}

Status Provider::compile_all(const OrtGraph** graphs, const OrtNode** fused, std::size_t count,
                             OrtNodeComputeInfo** computes, OrtNode** contexts) {
  for (std::size_t i = 0; i < count; ++i) {
    HONE_TRY(CompiledGroup group, compile({graphs[i], fused[i]}));
    // ONNX Runtime owns what stands in its arrays, also when a later group fails.
    computes[i] = group.compute.release();
    if (contexts) contexts[i] = group.context_node.release();
  }
  return done();
}

}  // namespace hone::ep
