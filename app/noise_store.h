#pragma once
// The noise certificates of this machine, which `hone doctor noise` makes and reports quote.

#include <optional>

#include "app/search_tools.h"
#include "record/search.h"

namespace hone::app {

// What a certificate is of: the machine and the program, but not the model or the EP.
std::string noise_key(const SearchEnvironment& environment);

// Nothing where none was made for this machine and program.
Result<std::optional<NoiseCertificate>> load_certificate(const SearchEnvironment& environment);
Status save_certificate(const NoiseCertificate& certificate);

}  // namespace hone::app
