#pragma once
// How often a machine makes hone keep a candidate that is the same as the baseline, and which
// effects it finds: the tool measures itself. Identical candidates go through a whole search; known
// effects are injected by the simulated EP, on the CPU alone: elsewhere the certificate is of
// false keeps. What comes out is what later reports quote.

#include <vector>

#include "flow/watch.h"
#include "record/search.h"
#include "record/where.h"

namespace hone {

struct NoiseOrder {
  // 0 keeps of them: where nothing is faster, at most 5 % of searches keep something.
  std::uint64_t trials = 59;
  std::uint64_t effect_trials = 20;
  std::vector<double> effects = {0.01, 0.02, 0.05};  // shares
  bool overwrite = false;                            // a certificate that rests on more searches
  Where where;                                       // of what target; nothing said is the CPU
};

struct CertifiedNoise {
  NoiseCertificate certificate;
  std::uint64_t kept_trials = 0;  // of the certificate that is kept: this one, or a stronger one
  bool holds = false;             // at most a tenth of such searches keep something
};

Result<CertifiedNoise> certify_noise(const NoiseOrder& order, const Watch& watch);

}  // namespace hone
