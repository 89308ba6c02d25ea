// The simulated EP under the name of one that machines without its hardware do not have: what hone
// does where an NPU is there is tested with it. Registered as "NAME.virtual" it offers an NPU and a
// GPU, and a CPU under any name.

#include <memory>
#include <string_view>

#include "ep/factory.h"
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

constexpr auto stand_in_name = "QNNExecutionProvider";

Result<std::unique_ptr<Provider>> open(const SessionRequest& request) {
  HONE_TRY(std::unique_ptr<Provider> provider, sim::kind().open(request));
  provider->GetName = [](const OrtEp*) noexcept { return stand_in_name; };
  return provider;
}

const ProviderKind kind = {stand_in_name, true, open, nullptr};

}  // namespace
}  // namespace hone::ep

hone::ort::OrtStatus* CreateEpFactories(const char* registered_name, const hone::ort::ApiBase* base,
                                        const hone::ort::OrtLogger*,
                                        hone::ort::OrtEpFactory** factories, std::size_t room,
                                        std::size_t* count) {
  *count = 0;
  if (room == 0) return nullptr;
  const bool allow_virtual = std::string_view(registered_name).ends_with(".virtual");
  factories[(*count)++] =
      std::make_unique<hone::ep::Factory>(hone::ep::read_ort(*base), hone::ep::kind, allow_virtual)
          .release();
  return nullptr;
}

hone::ort::OrtStatus* ReleaseEpFactory(hone::ort::OrtEpFactory* factory) {
  delete static_cast<hone::ep::Factory*>(factory);
  return nullptr;
}
