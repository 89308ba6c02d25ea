#pragma once
// The noise certificates of a machine, which `hone doctor noise` makes and reports quote. They are
// kept in the host's cache.

#include <optional>

#include "base/file.h"
#include "flow/search/environment.h"
#include "record/search.h"

namespace hone {

// What a certificate is of: the machine, the program, the EP and the kind of device, but not the
// model.
std::string noise_key(const SearchEnvironment& environment, const Target& target);

// Nothing where none was made for this machine, program and target.
std::optional<NoiseCertificate> load_certificate(const Host& host,
                                                 const SearchEnvironment& environment,
                                                 const Target& target);

// Where it is kept; nothing where the host has no cache.
std::optional<Path> certificate_path(const Host& host, const SearchEnvironment& environment,
                                     const Target& target);

enum class Replacing { what_is_weaker, anything };
// The one that is kept: of two with the same key that which rests on more searches, unless anything
// is to be replaced.
Result<NoiseCertificate> save_certificate(const Host& host, const NoiseCertificate& certificate,
                                          Replacing replacing);

}  // namespace hone
