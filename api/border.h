#pragma once
// The border: what fails inside is an error object outside, and no exception passes.

#include <hone/hone.h>
#include <new>
#include <stdexcept>
#include <utility>

#include "base/result.h"

namespace hone::api {

// How a call ends that did what it could: something besides it may have to be told.
struct Ending {
  hone_code code = HONE_DONE;
  Error error{};
};

// Hands the error out where somebody wants it. Returns the code in any case.
hone_code hand_out(hone_code code, const Error& error, hone_error** place) noexcept;
hone_code hand_out(const Error& error, hone_error** place) noexcept;

template <class Function>
hone_code at_border(hone_error** place, Function&& function) noexcept {
  if (place != nullptr) *place = nullptr;
  try {
    const Result<Ending> ending = std::forward<Function>(function)();
    if (!ending) return hand_out(ending.error(), place);
    if (ending->code == HONE_DONE) return HONE_DONE;
    return hand_out(ending->code, ending->error, place);
  } catch (const std::bad_alloc&) {
    return hand_out({Fault::runtime, "there is not enough memory", {}, {}, Trouble::no_memory},
                    place);
  } catch (const std::exception& error) {
    return hand_out({Fault::runtime, "hone came to an unexpected end", error.what()}, place);
  } catch (...) {
    return hand_out({Fault::runtime, "hone came to an unexpected end"}, place);
  }
}

}  // namespace hone::api
