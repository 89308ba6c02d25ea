#pragma once
// The noise certificates of this machine, which `hone doctor noise` makes and reports quote.

#include <optional>

#include "app/search_tools.h"
#include "record/search.h"

namespace hone::app {

// What a certificate is of: the machine, the program, the EP and the kind of device, but not the
// model.
std::string noise_key(const SearchEnvironment& environment, const Target& target);

// Nothing where none was made for this machine, program and target.
Result<std::optional<NoiseCertificate>> load_certificate(const SearchEnvironment& environment,
                                                         const Target& target);

// Where it is kept.
Result<Path> certificate_path(const SearchEnvironment& environment, const Target& target);

enum class Replacing { what_is_weaker, anything };
// The one that is kept: of two with the same key that which rests on more searches, unless anything
// is to be replaced.
Result<NoiseCertificate> save_certificate(const NoiseCertificate& certificate, Replacing replacing);

}  // namespace hone::app
