// A plugin library that hangs, dies or offers nothing when ONNX Runtime registers it, or asks for a
// function that ONNX Runtime does not have (as NVIDIA's does for one of another version).
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

#if defined(HONE_UNDEFINED)
extern "C" void* Provider_GetHost();
// Resolved when it is loaded. The version is found as it is in NVIDIA's: a text of its own.
extern "C" {
__attribute__((visibility("default"))) extern void* (*const needed_function)();
__attribute__((visibility("default"))) extern const char built_with[];
}
void* (*const needed_function)() = Provider_GetHost;
const char built_with[] =
    "\0"
    "1.29.0";
#endif

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
