#include "flow/diff.h"

#include "flow/given_model.h"
#include "inspect/diff.h"

namespace hone {

Result<ModelDiff> diff_of_models(const std::string& before, const std::string& after,
                                 const Host& host) {
  HONE_TRY(const Path before_file, find_model_file(before, host));
  HONE_TRY(const Path after_file, find_model_file(after, host));
  HONE_TRY(const Model first, load_model(before_file));
  HONE_TRY(const Model second, load_model(after_file));
  return diff_models(first, second);
}

}  // namespace hone
