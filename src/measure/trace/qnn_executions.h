#pragma once
// The executions in a QNN profiling CSV: which rows belong to one run of one graph, and which runs
// are of the same graph. A model that is cut into partitions writes one block of rows per partition
// and inference, and nothing in them names the partition.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "measure/trace/qnn_rows.h"

namespace hone {

struct QnnNode {
  std::string_view raw;  // the name as the EP has it
  std::int64_t op_id = 0;
  double amount = 0;  // cycles, or microseconds
  bool is_in_us = false;
};

struct QnnExecution {
  std::vector<QnnNode> nodes;
  std::optional<double> accelerator_cycles;
  std::optional<double> accelerator_us;
  std::optional<double> rpc_us;
  std::optional<double> host_us;
  std::optional<double> hvx_threads;
};

struct QnnExecutions {
  std::vector<QnnExecution> all;  // in the order of the file; those without operators too
  std::int64_t unreadable = 0;    // operator rows that were skipped
};

QnnExecutions read_executions(QnnRows& rows);

// The executions of each partition, in the order in which partitions appear. Two executions are of
// one partition when they share more than half of their operators. Ends early, with one partition
// more than `most`, where there are too many: comparing each with each must stay cheap.
std::vector<std::vector<QnnExecution>> group_by_partition(std::vector<QnnExecution> executions,
                                                          std::size_t most);

}  // namespace hone
