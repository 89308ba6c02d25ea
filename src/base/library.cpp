#include "base/library.h"

#include <dlfcn.h>
#include <link.h>

namespace hone {
namespace {

std::string last_problem() {
  const char* problem = dlerror();
  return problem ? problem : "unknown reason";
}

Path path_of(void* handle, const std::string& otherwise) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0 || map == nullptr)
    return otherwise;
  return map->l_name[0] != '\0' ? Path(map->l_name) : Path(otherwise);
}

}  // namespace

Result<Library> Library::load(const std::string& path_or_name) {
  void* handle = dlopen(path_or_name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return fail(Fault::not_found, "cannot load the library '" + path_or_name + "'", last_problem());
  }
  return Library(handle, path_of(handle, path_or_name));
}

Result<void*> Library::symbol(const char* name) const {
  dlerror();
  void* found = dlsym(handle_, name);
  if (found == nullptr) {
    return fail(Fault::unsupported, "'" + path_.string() + "' has no function " + name,
                last_problem());
  }
  return found;
}

}  // namespace hone
