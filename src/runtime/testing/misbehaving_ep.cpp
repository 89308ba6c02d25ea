// A plugin library that hangs, dies or offers nothing when ONNX Runtime registers it.
// CMakeLists.txt builds one module of each kind.

#include <unistd.h>

#include <csignal>
#include <cstddef>

extern "C" {
__attribute__((visibility("default"))) void* CreateEpFactories(const char* name, const void* base,
                                                               const void* logger, void** factories,
                                                               std::size_t room,
                                                               std::size_t* count);
__attribute__((visibility("default"))) void* ReleaseEpFactory(void* factory);
}

void* CreateEpFactories(const char*, const void*, const void*, void**, std::size_t,
                        std::size_t* count) {
  *count = 0;
#if defined(HONE_HANGING)
  for (;;) ::pause();
#elif defined(HONE_CRASHING)
  // Of the signal itself, whatever handlers the host has installed.
  std::signal(SIGSEGV, SIG_DFL);
  std::raise(SIGSEGV);
#endif
  return nullptr;
}

void* ReleaseEpFactory(void*) { return nullptr; }
