#include "base/curl.h"

#include <array>

#include "base/library.h"

namespace hone {
namespace {

template <class Function>
Status find(const Library& library, const char* name, Function& function) {
  HONE_TRY(void* const found, library.symbol(name));
  function = reinterpret_cast<Function>(found);
  return done();
}

Result<Library> first_there(std::span<const std::string> names) {
  Error last;
  for (const std::string& name : names) {
    auto library = Library::load(name);
    if (library) return library;
    last = library.error();
  }
  return fail(Fault::unsupported, "servers are asked through libcurl, which is not here",
              last.cause, "install it: apt-get install libcurl4, or dnf install libcurl");
}

Result<Curl> functions_of(const Library& library) {
  Curl curl;
  HONE_TRY_DO(find(library, "curl_global_init", curl.global_init));
  HONE_TRY_DO(find(library, "curl_easy_init", curl.easy_init));
  HONE_TRY_DO(find(library, "curl_easy_reset", curl.easy_reset));
  HONE_TRY_DO(find(library, "curl_easy_setopt", curl.easy_setopt));
  HONE_TRY_DO(find(library, "curl_easy_perform", curl.easy_perform));
  HONE_TRY_DO(find(library, "curl_easy_getinfo", curl.easy_getinfo));
  HONE_TRY_DO(find(library, "curl_easy_strerror", curl.easy_strerror));
  HONE_TRY_DO(find(library, "curl_easy_cleanup", curl.easy_cleanup));
  HONE_TRY_DO(find(library, "curl_slist_append", curl.slist_append));
  HONE_TRY_DO(find(library, "curl_slist_free_all", curl.slist_free_all));
  return curl;
}

}  // namespace

Result<Curl> load_curl(std::span<const std::string> names) {
  HONE_TRY(const Library library, first_there(names));
  HONE_TRY(const Curl curl, functions_of(library));
  if (const CURLcode problem = curl.global_init(CURL_GLOBAL_DEFAULT); problem != CURLE_OK) {
    return fail(Fault::runtime, "'" + library.path().string() + "' cannot be used",
                curl.easy_strerror(problem));
  }
  return curl;
}

Result<const Curl*> this_curl() {
  // The second is Debian's other build of it, which comes with git.
  static const Result<Curl> loaded =
      load_curl(std::to_array<std::string>({"libcurl.so.4", "libcurl-gnutls.so.4"}));
  if (!loaded) return fail(loaded.error());
  return &*loaded;
}

}  // namespace hone
