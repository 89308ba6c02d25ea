#pragma once
// What may become of a finding: added as a draft, falsified, promoted, joined with what another
// search has seen. Each step adds to the history; `at` is the time in UTC.

#include <string>

#include "base/result.h"
#include "record/finding.h"

namespace hone {

// As a draft, whatever it calls itself: confirmations are given here.
Finding added(Finding finding, FindingAction action, const std::string& at);

// With the counterexample in its scope. What was confirmed is a draft again.
Finding falsified(Finding finding, FindingTrial trial, const std::string& why,
                  const std::string& at);

// With those trials of `seen` in its scope that speak against it: an interleaved measurement of the
// same change with the opposite direction, on an EP and device and in a major version in which this
// one was seen. As it was where there are none, or it has them already.
Finding contradicted(Finding finding, const Finding& seen, const std::string& at);

// Confirmed, or an error that says all that is missing.
Result<Finding> promoted(Finding finding, const std::string& at);

// The finding with the trials and evidence of another record of the same claim; interleaved
// measurements replace others. As it was when there is nothing new. Refused when the two claim
// different things.
Result<Finding> joined(Finding finding, const Finding& seen, const std::string& at);

}  // namespace hone
