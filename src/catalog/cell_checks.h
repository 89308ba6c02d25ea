#pragma once
// What can be told of a published cell without running it: whether its evidence is about these
// bytes, and whether the bytes are what the evidence says was built.

#include <string>
#include <vector>

#include "record/evidence.h"
#include "record/verify.h"

namespace hone {

// `asked` is the version or digest the package was asked for by; every file of it was fetched. A
// check per claim: version, target, files, recipe, receipt, and champion where a search kept one.
std::vector<VerifyCheck> check_cell(const CellEvidence& evidence, const Fetched& package,
                                    const std::string& asked);

// The recipe in a folder of the package ("" is its root): what was built, as the package says it.
Result<Recipe> recipe_in(const Fetched& package, const std::string& folder);

bool has_file(const Fetched& package, const std::string& path);

// The hash that evidence has of its receipt.
std::string hash_of(const BuildReceipt& receipt);

}  // namespace hone
