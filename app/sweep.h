#pragma once
// A sweep as the command line asks for it: what is swept, where it is kept and published.

#include <cstdint>
#include <string>
#include <vector>

#include "app/call.h"
#include "app/command.h"
#include "app/where.h"
#include "catalog/matrix.h"

namespace hone::app {

struct SweepArguments {
  std::string catalog;
  std::string output;
  std::string mode = "build";
  bool is_build_only = false;
  std::string targets;  // a file
  CatalogFilter filter;
  bool lists = false;
  std::string runner = "local";
  std::int64_t jobs = 1;
  std::int64_t timeout_s = 600;
  std::string memory_limit;
  std::string max_disk;
  double max_drop = 0.01;
  std::string store;
  std::string upload;  // an address
  std::string token;
  std::string run_stamp;
  bool continues = false;
  bool overwrite = false;
  bool skips_existing = false;
  bool keeps_local = false;
  std::string package_name = "hone-models";
  Where where;  // an empty EP: the matrix
};

Result<ExitCode> run_sweep(const SweepArguments& arguments, const Call& call);

}  // namespace hone::app
