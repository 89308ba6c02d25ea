#pragma once
// A flow as a job: its order goes to a worker process as a record and its answer comes back as one.
// What crashes, hangs or is refused there is an Error here, of the kind it was where it arose.
//
// An order names itself and its answer:
//
//   struct BuildOrder {
//     static constexpr std::string_view job = "build";
//     using Answer = BuildReceipt;
//     ...
//   };
//
// and has a line in jobs.inc, and `Job jobs::build() { return job_of(build_model); }` beside its
// flow.

#include <chrono>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/result.h"
#include "flow/watch.h"
#include "record/fields.h"

namespace hone {

struct Job {
  std::string_view name;
  std::function<Result<Json>(const Json& order, const Watch& watch)> run;
};

// In the order of jobs.inc.
std::span<const Job> all_jobs();

// The job of a flow: reads the order, runs it, writes the answer.
template <class Order>
Job job_of(Result<typename Order::Answer> (*flow)(const Order& order, const Watch& watch)) {
  return {.name = Order::job, .run = [flow](const Json& json, const Watch& watch) -> Result<Json> {
            HONE_TRY(const Order order, from_json<Order>(json));
            HONE_TRY(const typename Order::Answer answer, flow(order, watch));
            return to_json(answer);
          }};
}

// Within what a job has to stay.
struct JobLimits {
  std::chrono::milliseconds time{600'000};
  std::uint64_t memory_bytes = 0;  // 0: none
};

// REQUIRES: there is a job of that name.
Result<Json> run_job(std::string_view name, const Json& order, const std::string& program,
                     const JobLimits& limits, const Watch& watch);

// Runs the order in a worker of `program` (see Host). The watch is told what the worker tells; once
// its stop is true, the worker and all it started are killed.
template <class Order>
Result<typename Order::Answer> run_apart(const Order& order, const std::string& program,
                                         const JobLimits& limits = {}, const Watch& watch = {}) {
  HONE_TRY(const Json answer, run_job(Order::job, to_json(order), program, limits, watch));
  return from_json<typename Order::Answer>(answer);
}

// The same through files, for a worker on another machine: the text of the one it reads, and what
// it made of it by that of the one it wrote.
std::string request_text(std::string_view name, const Json& order);
Result<Json> answer_in(const std::string& text);
template <class Order>
std::string request_text(const Order& order) {
  return request_text(Order::job, to_json(order));
}
template <class Order>
Result<typename Order::Answer> read_answer(const std::string& text) {
  HONE_TRY(const Json answer, answer_in(text));
  return from_json<typename Order::Answer>(answer);
}
// What such a worker does. A failure of the job is an answer, too.
Status answer_file(const Path& request, const Path& answer);

// The worker's side: {"do": "job", "name": NAME, "order": {...}}. `tell` is called with lines that
// go out before the answer.
Result<Json> answer_job(const Json& request, const std::function<void(const Json& line)>& tell);

namespace jobs {
#define HONE_JOB(name) Job name();
#include "flow/jobs.inc"
#undef HONE_JOB
}  // namespace jobs

}  // namespace hone
