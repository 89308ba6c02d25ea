#include "flow/job.h"

#include <algorithm>
#include <array>
#include <new>
#include <optional>

#include "base/conversation.h"
#include "base/text.h"
#include "record/fault.h"
#include "runtime/ort_trouble.h"

namespace hone {
namespace {

using std::chrono::milliseconds;

// What a worker wrote to standard error before it ended tells what it lacked, where nothing else
// does: an exception nobody caught, an allocator that gave up.
Failure with_trouble_of_its_words(Error error) {
  const Trouble said = trouble_in(error.cause);
  if (said == Trouble::no_memory || said == Trouble::disk_full) error.trouble = said;
  return fail(std::move(error));
}

Failure did_not_answer(std::string_view name, Error error, milliseconds limit) {
  if (error.fault == Fault::timeout) {
    error.what =
        "it took longer than " + std::to_string(limit.count() / 1000) + " s: " + std::string(name);
  } else {
    error.what += " while doing: " + std::string(name);
  }
  return with_trouble_of_its_words(std::move(error));
}

Failure misunderstood(std::string_view name, const std::string& line) {
  constexpr std::size_t shown = 80;
  return fail(Fault::runtime, "the worker gave an answer that is none to: " + std::string(name),
              printable(line.substr(0, shown)));
}

Json request_of(std::string_view name, const Json& order) {
  return Json::object().set("do", "job").set("name", name).set("order", order);
}

// Nothing where it is neither an answer nor an error.
std::optional<Result<Json>> answer_of(const Json& said) {
  if (const Json* answer = said.find("answer")) return *answer;
  const Json* error = said.find("error");
  if (error == nullptr) return std::nullopt;
  Result<Error> told = from_json<Error>(*error);
  return fail(told ? *std::move(told) : std::move(told).error());
}

void pass_on(const Json& line, const Watch& watch) {
  const auto progress = from_json<FlowProgress>(line);
  if (progress && watch.tell) watch.tell(*progress);
}

}  // namespace

std::span<const Job> all_jobs() {
  static const auto table = std::to_array<Job>({
#define HONE_JOB(name) jobs::name(),
#include "flow/jobs.inc"
#undef HONE_JOB
  });
  return table;
}

Result<Json> run_job(std::string_view name, const Json& order, const std::string& program,
                     const JobLimits& limits, const Watch& watch) {
  ProcessOptions options;
  options.limits.memory_bytes = limits.memory_bytes;
  options.limits.time = limits.time;
  HONE_TRY(Conversation worker, Conversation::start({program, "worker"}, options));
  worker.say(request_of(name, order).dump(-1));
  while (true) {
    Result<std::string> line = worker.hear(limits.time, watch.stop);
    if (!line) return did_not_answer(name, std::move(line).error(), limits.time);
    const auto said = Json::parse(*line);
    if (!said) return misunderstood(name, *line);
    if (const Json* progress = said->find("progress")) {
      pass_on(*progress, watch);
    } else if (auto answer = answer_of(*said)) {
      return *std::move(answer);
    } else {
      return misunderstood(name, *line);
    }
  }
}

std::string request_text(std::string_view name, const Json& order) {
  return request_of(name, order).dump() + "\n";
}

Result<Json> answer_in(const std::string& text) {
  HONE_TRY(const Json said, Json::parse(text));
  if (auto answer = answer_of(said)) return *std::move(answer);
  return fail(Fault::bad_input, "the file holds no answer of a worker");
}

Status answer_file(const Path& request, const Path& answer) {
  HONE_TRY(const std::string text, read_file(request));
  HONE_TRY(const Json asked, Json::parse(text));
  auto made = answer_job(asked, [](const Json&) {});
  const Json said = made ? *std::move(made) : Json::object().set("error", to_json(made.error()));
  return write_file(answer, said.dump() + "\n");
}

Result<Json> answer_job(const Json& request, const std::function<void(const Json& line)>& tell) {
  const Json* name = request.find("name");
  const Json* order = request.find("order");
  if (name == nullptr || name->as_string() == nullptr || order == nullptr)
    return fail(Fault::bad_input, "the request names no job and order");
  const auto job = std::ranges::find(all_jobs(), *name->as_string(), &Job::name);
  if (job == all_jobs().end())
    return fail(Fault::bad_input, "there is no job '" + printable(*name->as_string()) + "'");
  Watch watch;
  watch.tell = [&](const FlowProgress& progress) {
    tell(Json::object().set("progress", to_json(progress)));
  };
  try {
    HONE_TRY(Json answer, job->run(*order, watch));
    return Json::object().set("answer", std::move(answer));
  } catch (const std::bad_alloc&) {
    return fail(Fault::runtime, Trouble::no_memory,
                "there is not enough memory to " + *name->as_string());
  }
}

}  // namespace hone
