#include "measure/trace/qnn_executions.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>
#include <utility>

namespace hone {
namespace {

using NodeKey = std::pair<std::int64_t, std::string_view>;

// "name:OpId_24 (cycles)" or "Input OpId_2 (cycles)". The name may hold "OpId_" itself.
std::optional<QnnNode> read_node(const QnnRow& row) {
  constexpr std::string_view marker = "OpId_";
  const std::size_t at = row.identifier.rfind(marker);
  if (at == std::string_view::npos || at < 2 || !row.time) return std::nullopt;
  const char separator = row.identifier[at - 1];
  if (separator != ':' && separator != ' ') return std::nullopt;
  QnnNode node{.raw = row.identifier.substr(0, at - 1), .amount = *row.time};
  const std::string_view number = row.identifier.substr(at + marker.size());
  const auto read = std::from_chars(number.data(), number.data() + number.size(), node.op_id);
  if (read.ec != std::errc() || node.op_id < 0) return std::nullopt;
  node.is_in_us = row.unit == "US";
  return node;
}

// Reads the rows of one file. An execution opens with its cycles or its first operator and ends
// with the host's time; where such rows are missing, an operator that appears again ends it.
class ExecutionReader {
 public:
  void read(const QnnRow& row) {
    if (row.message == "NODE" && row.level == "SUB-EVENT") return read_operator(row);
    if (row.level == "ROOT" && row.time) read_total(row);
  }

  QnnExecutions finish() {
    close();
    return std::move(executions_);
  }

 private:
  void read_operator(const QnnRow& row) {
    const std::optional<QnnNode> node = read_node(row);
    if (!node) {
      ++executions_.unreadable;
      return;
    }
    const NodeKey key{node->op_id, node->raw};
    if (seen_.contains(key)) close();
    open();
    seen_.insert(key);
    current_.nodes.push_back(*node);
  }

  void read_total(const QnnRow& row) {
    const std::string_view name = row.identifier;
    if (name == "Accelerator (execute) time (cycles)") {
      close();
      open();
      current_.accelerator_cycles = row.time;
    } else if (name == "Accelerator (execute) time" && row.unit == "US") {
      place(&QnnExecution::accelerator_us, *row.time);
    } else if (name == "RPC (execute) time") {
      place(&QnnExecution::rpc_us, *row.time);
    } else if (name == "Number of HVX threads used") {
      place(&QnnExecution::hvx_threads, *row.time);
    } else if (row.message == "EXECUTE" && row.unit == "US") {
      open();
      current_.host_us = row.time;
      close();
    }
  }

  // Totals stand before or behind the operators, depending on the version: one that the open
  // execution has already belongs to the next.
  void place(std::optional<double> QnnExecution::*total, double value) {
    QnnExecution& execution = is_open_ && !(current_.*total) ? current_ : next_;
    execution.*total = value;
  }

  void open() {
    if (is_open_) return;
    current_ = std::exchange(next_, {});
    is_open_ = true;
  }

  void close() {
    if (is_open_) executions_.all.push_back(std::exchange(current_, {}));
    is_open_ = false;
    seen_.clear();
  }

  QnnExecutions executions_;
  QnnExecution current_;
  QnnExecution next_;
  std::set<NodeKey> seen_;  // of the open execution
  bool is_open_ = false;
};

// Every graph has its Input and Output, with the same ids: they tell nothing.
std::vector<NodeKey> keys_of(const QnnExecution& execution) {
  std::vector<NodeKey> keys;
  for (const QnnNode& node : execution.nodes) {
    if (node.raw != "Input" && node.raw != "Output") keys.emplace_back(node.op_id, node.raw);
  }
  std::ranges::sort(keys);
  return keys;
}

bool share_most(const std::vector<NodeKey>& a, const std::vector<NodeKey>& b) {
  if (a == b) return true;
  std::vector<NodeKey> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  return 2 * common.size() > a.size() + b.size() - common.size();
}

}  // namespace

QnnExecutions read_executions(QnnRows& rows) {
  ExecutionReader reader;
  while (const std::optional<QnnRow> row = rows.next()) reader.read(*row);
  return reader.finish();
}

std::vector<std::vector<QnnExecution>> group_by_partition(std::vector<QnnExecution> executions,
                                                          std::size_t most) {
  std::vector<std::vector<QnnExecution>> partitions;
  std::vector<std::vector<NodeKey>> keys;  // of the first execution of each partition
  for (QnnExecution& execution : executions) {
    if (partitions.size() > most) break;
    if (execution.nodes.empty()) continue;
    const std::vector<NodeKey> own = keys_of(execution);
    const auto known =
        std::ranges::find_if(keys, [&](const auto& k) { return share_most(k, own); });
    const auto index = static_cast<std::size_t>(known - keys.begin());
    if (known == keys.end()) {
      keys.push_back(own);
      partitions.emplace_back();
    }
    partitions[index].push_back(std::move(execution));
  }
  return partitions;
}

}  // namespace hone
