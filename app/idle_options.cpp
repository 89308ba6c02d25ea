#include "app/idle_options.h"

#include <string>

namespace hone::app {

Status refuse_idle(std::initializer_list<IdleOption> options) {
  for (const IdleOption& one : options) {
    if (!one.is_given || one.needs == nullptr) continue;
    return fail(Fault::bad_input, std::string(one.option) + " does nothing here", {},
                std::string("it needs ") + one.needs);
  }
  return done();
}

}  // namespace hone::app
