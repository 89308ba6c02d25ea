// The parent's side of a worker.

#include "runtime/worker.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "runtime/target.h"

namespace hone {
namespace {

using std::chrono::milliseconds;

Json request(std::string_view action) { return Json::object().set("do", action); }

milliseconds patience_within(milliseconds patience, std::chrono::steady_clock::time_point until) {
  using Clock = std::chrono::steady_clock;
  if (until == Clock::time_point::max()) return patience;
  const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
  return std::clamp(left, milliseconds{0}, patience);
}

}  // namespace

Result<Worker> Worker::start(const Path& program, const WorkerLimits& limits,
                             const std::vector<std::pair<std::string, std::string>>& environment,
                             const Path& folder) {
  ProcessOptions options;
  options.folder = folder;
  options.environment = environment;
  options.limits.memory_bytes = limits.memory_bytes;
  HONE_TRY(Conversation conversation, Conversation::start({program.string(), "worker"}, options));
  return Worker(std::move(conversation), limits);
}

Result<Json> Worker::ask(const Json& question, std::chrono::milliseconds patience,
                         const std::string& doing) {
  conversation_.say(question.dump(-1));
  Result<std::string> line =
      conversation_.hear(patience_within(patience, limits_.until), limits_.stop);
  is_gone_ = !line;
  if (!line) {
    Error error = std::move(line).error();
    const bool is_over = std::chrono::steady_clock::now() >= limits_.until;
    if (error.fault == Fault::timeout && is_over) error.what = "the time was over";
    error.what += " while " + doing;
    return fail(std::move(error));
  }
  Result<Json> answer = Json::parse(*line);
  if (!answer) {
    constexpr std::size_t shown = 80;
    return fail(Fault::runtime, "the worker gave an answer that is no JSON while " + doing,
                printable(line->substr(0, shown)) + ": " + answer.error().what);
  }
  const Json* error = answer->find("error");
  if (error == nullptr) return answer;
  HONE_TRY(Error said, from_json<Error>(*error));
  return fail(std::move(said));
}

Result<WorkerOpened> Worker::open(const RunPlan& plan) {
  HONE_TRY(const Json answer, ask(request("open").set("plan", to_json(plan)), limits_.open,
                                  "opening '" + plan.model + "' on " + describe(plan.target)));
  return from_json<WorkerOpened>(answer);
}

Result<WorkerBlock> Worker::run(const BlockPlan& plan) {
  HONE_TRY(const Json answer, ask(request("run")
                                      .set("iterations", plan.iterations)
                                      .set("warmup", plan.warmup)
                                      .set("time_ns", plan.time.count()),
                                  limits_.block, "running the model"));
  return from_json<WorkerBlock>(answer);
}

Result<WorkerOpened> Worker::open_session(const RunPlan& plan) {
  HONE_TRY(const Json answer, ask(request("open_session").set("plan", to_json(plan)), limits_.open,
                                  "opening '" + plan.model + "' on " + describe(plan.target)));
  return from_json<WorkerOpened>(answer);
}

Result<WorkerAnswered> Worker::answer(const Path& inputs, const Path& outputs) {
  HONE_TRY(const Json answer,
           ask(request("answer").set("inputs", inputs.string()).set("outputs", outputs.string()),
               limits_.block, "running the model"));
  return from_json<WorkerAnswered>(answer);
}

Status Worker::open_trial(const RunPlan& plan) {
  HONE_TRY_DO(ask(request("open_trial").set("plan", to_json(plan)), limits_.open,
                  "opening '" + plan.model + "' to try sizes"));
  return done();
}

Status Worker::try_inputs(const std::string& shape_config) {
  HONE_TRY_DO(
      ask(request("try").set("shape_config", shape_config), limits_.block, "running the model"));
  return done();
}

Result<std::vector<double>> Worker::compile(const std::vector<CompileOrder>& orders) {
  std::vector<double> times;
  HONE_TRY_DO(ask(request("start").set("plan", to_json(orders.front().plan)), limits_.open,
                  "loading ONNX Runtime"));
  for (const CompileOrder& order : orders) {
    HONE_TRY(const Json answer,
             ask(request("compile")
                     .set("plan", to_json(order.plan))
                     .set("folder", order.folder.string())
                     .set("output", order.output.string())
                     .set("embeds", order.embeds),
                 limits_.open,
                 "compiling '" + order.plan.model + "' for " + describe(order.plan.target)));
    const Json* time = answer.find("compile_ms");
    if (time == nullptr)
      return fail(Fault::runtime, "the worker does not say how long it compiled");
    HONE_TRY(const double milliseconds, time->to_double());
    times.push_back(milliseconds);
  }
  return times;
}

Status Worker::save_outputs(std::int64_t sample, const Path& file) {
  HONE_TRY_DO(ask(request("outputs").set("sample", sample).set("file", file.string()),
                  limits_.block, "running the model"));
  return done();
}

Status Worker::close() {
  HONE_TRY_DO(ask(request("close"), limits_.block, "closing the session"));
  return done();
}

Result<WorkerProbed> Worker::probe(const RunPlan& plan) {
  HONE_TRY(const Json answer,
           ask(request("probe").set("plan", to_json(plan)), limits_.probe, "looking for EPs"));
  return from_json<WorkerProbed>(answer);
}

Result<Path> Worker::find_library(const std::string& path_or_name) {
  HONE_TRY(const Json answer, ask(request("load").set("library", path_or_name), limits_.probe,
                                  "loading '" + path_or_name + "'"));
  const Json* path = answer.find("path");
  if (path == nullptr || path->as_string() == nullptr)
    return fail(Fault::runtime, "the worker did not say where '" + path_or_name + "' is");
  return Path(*path->as_string());
}

}  // namespace hone
