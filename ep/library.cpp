// What the library exports: the two functions ONNX Runtime looks up when it registers a plugin.

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "ep/factory.h"
#include "ep/probe/probe.h"
#include "ep/sim/faults.h"
#include "ep/sim/sim.h"

#define HONE_EXPORT extern "C" __attribute__((visibility("default")))

HONE_EXPORT hone::ort::OrtStatus* CreateEpFactories(const char* registered_name,
                                                    const hone::ort::ApiBase* base,
                                                    const hone::ort::OrtLogger* default_logger,
                                                    hone::ort::OrtEpFactory** factories,
                                                    std::size_t room, std::size_t* count);
HONE_EXPORT hone::ort::OrtStatus* ReleaseEpFactory(hone::ort::OrtEpFactory* factory);

namespace hone::ep {
namespace {

const std::array kinds = {probe::kind(), sim::kind()};

Status make_factories(const Ort& ort, std::string_view registered_name, OrtEpFactory** factories,
                      std::size_t room, std::size_t& count) {
  if (ort.minor < oldest_minor) {
    return fail(Fault::unsupported, "libhone_ep needs ONNX Runtime 1." +
                                        std::to_string(oldest_minor) + " or newer, this is " +
                                        ort.version);
  }
  HONE_TRY_DO(sim::fail_at_registration());
  if (room < kinds.size()) {
    return fail(Fault::unsupported, "libhone_ep holds " + std::to_string(kinds.size()) +
                                        " providers, room is for " + std::to_string(room));
  }
  const bool allow_virtual = registered_name.ends_with(".virtual");
  for (const ProviderKind& kind : kinds) {
    factories[count++] = std::make_unique<Factory>(ort, kind, allow_virtual).release();
  }
  return done();
}

}  // namespace
}  // namespace hone::ep

hone::ort::OrtStatus* CreateEpFactories(const char* registered_name, const hone::ort::ApiBase* base,
                                        const hone::ort::OrtLogger*,
                                        hone::ort::OrtEpFactory** factories, std::size_t room,
                                        std::size_t* count) {
  const hone::ep::Ort ort = hone::ep::read_ort(*base);
  *count = 0;
  return hone::ep::answer(
      ort, [&] { return hone::ep::make_factories(ort, registered_name, factories, room, *count); });
}

hone::ort::OrtStatus* ReleaseEpFactory(hone::ort::OrtEpFactory* factory) {
  delete static_cast<hone::ep::Factory*>(factory);
  return nullptr;
}
