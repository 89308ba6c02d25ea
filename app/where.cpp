#include "app/where.h"

#include <memory>

#include "app/environment.h"
#include "base/process.h"
#include "base/system_files.h"
#include "base/text.h"
#include "flow/host.h"
#include "kinds/ep.h"
#include "runtime/ep_names.h"
#include "runtime/session_options.h"

namespace hone::app {
namespace {

// From --ep-library NAME=PATH, and $HONE_EP_PATH: folders, or NAME=PATH, with ':' between them.
Status read_libraries(std::vector<std::string> words, Host& host) {
  const std::string from_environment = environment("HONE_EP_PATH");
  host.ep_folders.clear();
  for (const std::string& word : split(from_environment, ':')) {
    if (word.empty()) continue;
    const bool is_library = word.find('=') != std::string::npos;
    // Paths lead there from anywhere, and ONNX Runtime takes one that does not as relative to its
    // own library.
    if (is_library) words.push_back(word);
    if (!is_library) host.ep_folders.push_back(std::filesystem::absolute(word).string());
  }
  HONE_TRY(host.ep_libraries, parse_options(words, "--ep-library"));
  for (auto& [name, path] : host.ep_libraries) path = std::filesystem::absolute(path).string();
  return done();
}

// `ort`: the library that was said; empty: none was.
Status find_host(const std::string& ort, Host& host) {
  HONE_TRY(const Path program, own_program());
  host = host_around(program);
  const std::string chosen = ort.empty() ? environment("HONE_ORT") : ort;
  if (!chosen.empty()) host.ort = {chosen};
  HONE_TRY_DO(read_libraries({}, host));
  if (const auto cache = cache_folder()) host.cache = cache->string();
  return done();
}

// "95%" or "0.95"; empty: none.
Result<std::optional<double>> read_share(const std::string& text) {
  if (text.empty()) return std::optional<double>();
  const bool is_percent = text.ends_with('%');
  const std::optional<double> number =
      parse_number<double>(text.substr(0, text.size() - (is_percent ? 1 : 0)));
  const double share = number.value_or(-1) / (is_percent ? 100 : 1);
  if (share >= 0 && share <= 1) return std::optional(share);
  return fail(Fault::bad_input, "'" + text + "' is no value for --require-placement", {},
              "it takes a share of the nodes: 95% or 0.95");
}

}  // namespace

Result<Host> this_host() {
  Host host;
  HONE_TRY_DO(find_host({}, host));
  return host;
}

void declare_host(Options& options, Host& host) {
  options.afterwards([&host] { return find_host({}, host); });
}

void declare_ort(Options& options, Host& host) {
  const auto ort = std::make_shared<std::string>();
  options.text("--ort PATH", *ort,
               "the ONNX Runtime library; else $HONE_ORT, beside hone, the system's");
  options.afterwards([ort, &host] { return find_host(*ort, host); });
}

void declare_runtime(Options& options, Host& host) {
  declare_ort(options, host);
  const auto words = std::make_shared<std::vector<std::string>>();
  options.texts("--ep-library NAME=PATH", *words,
                "a plugin EP library; those in $HONE_EP_PATH and beside ONNX Runtime are found");
  options.afterwards([words, &host] { return read_libraries(*words, host); });
}

void declare_where(Options& options, Where& where) {
  struct Said {
    std::vector<std::string> ep_options;
    std::vector<std::string> session_options;
    std::string placement;
  };
  const auto said = std::make_shared<Said>();
  options.text("--ep NAME", where.ep,
               "where it runs (cpu): " + join(ep_names(), ", ") + ", or a library's EP");
  options.choice("--device CLASS", where.device, {"auto", "cpu", "gpu", "npu"},
                 "the kind of device; without --ep, the best EP here that has it");
  options.texts("--ep-options KEY=VALUE", said->ep_options, "an option of the EP");
  declare_runtime(options, where.host);
  options.texts("--session-options KEY=VALUE", said->session_options,
                "a session option of ONNX Runtime; unknown keys are refused");
  options.integer("--threads N", where.threads,
                  "threads of one operator; 0 leaves it to ONNX Runtime",
                  {.least = 0, .most = 1024});
  options.text("--require-placement SHARE", said->placement,
               "exit 3 unless this share of nodes runs on the EP, e.g. 95%");
  options.afterwards([said, &where]() -> Status {
    HONE_TRY(where.ep_options, parse_options(said->ep_options, "--ep-options"));
    HONE_TRY(where.session_options, parse_options(said->session_options, "--session-options"));
    HONE_TRY(where.least_placement, read_share(said->placement));
    return done();
  });
}

Result<Path> cache_folder() {
  if (const std::string own = environment("HONE_CACHE"); !own.empty()) return Path(own);
  if (const std::string user = environment("XDG_CACHE_HOME"); !user.empty()) {
    return Path(user) / "hone";
  }
  if (const std::string home = environment("HOME"); !home.empty()) {
    return Path(home) / ".cache" / "hone";
  }
  return fail(Fault::not_found, "there is no place for a cache",
              "neither HONE_CACHE nor HOME is set", "set HONE_CACHE to a folder");
}

Result<Path> knowledge_folder() {
  if (const std::string user = environment("XDG_DATA_HOME"); !user.empty()) {
    return Path(user) / "hone/knowledge";
  }
  if (const std::string home = environment("HOME"); !home.empty()) {
    return Path(home) / ".local/share/hone/knowledge";
  }
  return fail(Fault::not_found, "there is no place for your findings",
              "neither XDG_DATA_HOME nor HOME is set", "--kb FOLDER says where they are");
}

}  // namespace hone::app
