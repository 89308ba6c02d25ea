#pragma once
// What commands answer of a composite, for people.

#include <string>

#include "record/composite.h"

namespace hone {

std::string describe_parts(const CompositeFacts& facts);
std::string describe_parts(const CompositePerf& measured);
std::string describe_parts(const CompositeReceipt& receipt);

}  // namespace hone
