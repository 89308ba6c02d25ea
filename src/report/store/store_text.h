#pragma once
// A content store for people: what it holds, whether it is sound, what was removed.

#include <string>

#include "record/store.h"

namespace hone {

std::string describe_usage(const StoreUsage& usage);
std::string describe_check(const StoreCheck& check);
std::string describe_collection(const StoreCollection& collection);

}  // namespace hone
