#pragma once
// One provider opened for one session, and the kinds of provider our library holds. The callbacks
// of ONNX Runtime become virtual functions that speak in Results; nothing else here knows of the
// border.

#include <memory>
#include <string>

#include "base/result.h"
#include "ep/ort.h"

namespace hone::ep {

// What a session hands to a provider it opens.
struct SessionRequest {
  const Ort& ort;  // outlives the provider
  DeviceType device = device_cpu;
  KeyValues options;  // the provider's own, without their prefix
  KeyValues config;   // all of the session's
  const OrtLogger* logger = nullptr;
};

// One fused group: the graph of its nodes, and the node that stands for them.
struct CompileRequest {
  const OrtGraph* graph = nullptr;
  const OrtNode* fused = nullptr;
};

class ComputeNode : public OrtNodeComputeInfo {
 public:
  explicit ComputeNode(const Ort& ort);
  virtual ~ComputeNode() = default;
  virtual Status run(OrtKernelContext* context) = 0;

 protected:
  const Ort& ort_;
};

struct CompiledGroup {
  std::unique_ptr<ComputeNode> compute;
  Owned<OrtNode> context_node{nullptr, nullptr};  // null unless a compiled model is being made
};

class Provider : public OrtEp {
 public:
  Provider(const Ort& ort, const char* name);
  virtual ~Provider() = default;

  virtual Status claim(const OrtGraph* graph, OrtEpGraphSupportInfo* support) = 0;
  virtual Result<CompiledGroup> compile(const CompileRequest& group);
  virtual Status on_run_start() { return done(); }
  // What a compiled model says about itself; valid until the next call.
  virtual const char* compatibility() { return ""; }

 protected:
  const Ort& ort_;

 private:
  Status compile_all(const OrtGraph** graphs, const OrtNode** fused, std::size_t count,
                     OrtNodeComputeInfo** computes, OrtNode** contexts);
  const char* name_;
};

// The facts of a provider, and how to open it.
struct ProviderKind {
  const char* name;
  bool offers_virtual_devices;
  Result<std::unique_ptr<Provider>> (*open)(const SessionRequest& request);
  // How well a compiled model that says `compatibility` suits a device. Null: it makes none.
  CompiledModelCompatibility (*judge)(DeviceType device, const std::string& compatibility);
};

}  // namespace hone::ep
