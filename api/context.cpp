// What hone finds on a machine, from where its library lies.

#include <dlfcn.h>

#include "api/arguments.h"
#include "api/border.h"
#include "api/handles.h"
#include "base/misuse.h"
#include "flow/host.h"

namespace hone::api {
namespace {

// lib/libhone.so finds bin/hone; so does one in a folder of its own below lib.
Result<Path> find_program() {
  Dl_info found{};
  std::error_code problem;
  Path library;
  if (::dladdr(reinterpret_cast<const void*>(&hone_version), &found) != 0)
    library = std::filesystem::canonical(found.dli_fname, problem);
  const Path folder = library.parent_path();
  for (const Path& place : {folder / "../bin", folder / "../../bin", folder}) {
    const Path program = (place / "hone").lexically_normal();
    if (std::filesystem::is_regular_file(program, problem)) return program;
  }
  return fail(Fault::not_found, Trouble::absent, "the program 'hone' is not beside libhone.so",
              "libhone.so is '" + library.string() + "'",
              R"(say where it is: hone_context_new(..., "{\"program\": \"/path/to/hone\"}", ...))");
}

Result<Host> find_host(const char* options) {
  HONE_TRY(Host said, read_order<Host>({}, options, {}));
  HONE_TRY(const Path program, said.program.empty() ? find_program() : Path(said.program));
  Host host = host_around(std::filesystem::absolute(program));
  if (!said.own_library.empty()) host.own_library = said.own_library;
  if (!said.ort.empty()) host.ort = said.ort;
  host.cache = said.cache;
  // ONNX Runtime takes a relative path as relative to its own library.
  for (const auto& [name, path] : said.ep_libraries)
    host.ep_libraries[name] = std::filesystem::absolute(path).string();
  return host;
}

Status check_version(int wanted) {
  if (wanted >= 1 && wanted <= HONE_API_VERSION) return done();
  return misuse("the caller was made for version " + std::to_string(wanted) +
                    " of hone.h, and libhone.so knows 1 to " + std::to_string(HONE_API_VERSION),
                "pass HONE_API_VERSION, and install a newer hone where it is the library that is "
                "too old");
}

}  // namespace
}  // namespace hone::api

hone_code hone_context_new(int api_version, const char* options, hone_context** context,
                           hone_error** error) {
  using namespace hone;
  using namespace hone::api;
  return at_border(error, [&]() -> Result<Ending> {
    HONE_TRY_DO(check_given(context, "context"));
    *context = nullptr;
    HONE_TRY_DO(check_version(api_version));
    HONE_TRY(Host host, find_host(options));
    *context = new hone_context{std::move(host)};
    return Ending{};
  });
}

void hone_context_free(hone_context* context) { delete context; }
