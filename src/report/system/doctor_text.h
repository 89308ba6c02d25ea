#pragma once
// A diagnosis for people: one line for each check, what to do below it, one conclusion.

#include <string>

#include "record/doctor.h"

namespace hone {

std::string describe_diagnosis(const Diagnosis& diagnosis);

}  // namespace hone
