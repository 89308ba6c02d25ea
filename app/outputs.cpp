#include "app/outputs.h"

#include "base/file.h"

namespace hone::app {
namespace {

bool is_same_path(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code problem;
  if (std::filesystem::equivalent(a, b, problem)) return true;
  return std::filesystem::absolute(a).lexically_normal() ==
         std::filesystem::absolute(b).lexically_normal();
}

}  // namespace

Status check_outputs(const std::vector<std::string>& outputs, bool overwrite,
                     const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].empty()) continue;
    for (const std::string& input : inputs) {
      if (is_same_path(outputs[i], input))
        return fail(Fault::bad_input, "'" + outputs[i] + "' is read: a report would replace it", {},
                    "write the report to another file");
    }
    for (std::size_t other = 0; other < i; ++other) {
      if (is_same_path(outputs[i], outputs[other]))
        return fail(Fault::bad_input, "'" + outputs[i] + "' is the path of two outputs", {},
                    "give each a file of its own");
    }
    HONE_TRY_DO(refuse_existing(outputs[i], overwrite));
  }
  return done();
}

Status write_report(const std::string& file, const Json& document) {
  return file.empty() ? done() : write_file(file, document.dump() + "\n");
}

}  // namespace hone::app
