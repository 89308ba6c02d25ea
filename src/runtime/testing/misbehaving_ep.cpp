// A plugin library that hangs or dies when ONNX Runtime registers it. CMakeLists.txt builds one
// module of each kind.

#include <unistd.h>

#include <csignal>

extern "C" {
__attribute__((visibility("default"))) void* CreateEpFactories();
__attribute__((visibility("default"))) void* ReleaseEpFactory();
}

void* CreateEpFactories() {
#ifdef HONE_HANGS
  for (;;) ::pause();
#else
  // Of the signal itself, whatever handlers the host has installed.
  std::signal(SIGSEGV, SIG_DFL);
  std::raise(SIGSEGV);
  return nullptr;
#endif
}

void* ReleaseEpFactory() { return nullptr; }
