#pragma once
// A catalog over a matrix of targets, cell by cell: from what a user says to what came of each.

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/matrix.h"
#include "catalog/publisher.h"
#include "catalog/sweep.h"
#include "checkpoint/hub.h"
#include "flow/watch.h"
#include "record/where.h"

namespace hone {

struct SweepOrder {
  std::string catalog;  // a file
  CatalogFilter filter;
  std::string targets;  // a file; empty: that of `where`, else the matrix
  std::string output;   // the folder it is kept in
  SweepMode mode = SweepMode::build;
  bool is_build_only = false;  // mode build: targets need not be here
  std::string runner = "local";
  std::int64_t jobs = 1;                 // cells at a time
  std::int64_t timeout_s = 600;          // of each step of a cell, and of an upload
  std::uint64_t memory_limit_bytes = 0;  // of each process of a cell; 0: none
  std::uint64_t most_disk_bytes = 0;     // of store and cache; 0: no limit
  bool allows_unsupported = false;       // builds what an EP is known not to take all the same
  double max_drop = 0.01;                // of eval and autoconfig
  std::string store;                     // empty: in the folder
  std::string upload;                    // an address; empty: nothing is published
  std::string package_name;              // where the address has none; empty: ours
  std::string run_stamp;                 // empty: that of the folder, else today
  bool continues = false;                // what is done here or published is not done again
  bool overwrite = false;                // begins anew where a sweep was
  bool skips_existing = false;           // a version that is there already is no failure
  bool keeps_local = false;              // what is published stays here as well
  std::string knowledge;                 // autoconfig: a folder of findings; empty: none but ours
  Where where;                           // an empty EP: the matrix
  HubSettings hub{};                     // for models that are named as they are on one
};

// Of what a sweep would be.
Result<SweepListing> list_sweep(const SweepOrder& order);

// What came of it, or why the place let us in at no time: then nothing was begun.
struct SweepAnswer {
  SweepEnd end;
  std::optional<Error> refusal;

  // All cells are done, and where they were to be published, they are.
  bool holds(const SweepOrder& order) const;
};

// `place` says whom to trust and who we are. Once the watch's stop is true, cells that run come to
// their end and no other begins.
Result<SweepAnswer> run_sweep(const SweepOrder& order, const PublisherSettings& place,
                              const Watch& watch);

}  // namespace hone
