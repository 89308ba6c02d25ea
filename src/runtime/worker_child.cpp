// The child's side of a worker.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/json.h"
#include "base/library.h"
#include "base/text.h"
#include "model/npz/npz.h"
#include "runtime/compile.h"
#include "runtime/gpu_recorder.h"
#include "runtime/placement_log.h"
#include "runtime/prepared.h"
#include "runtime/run_on_file.h"
#include "runtime/streams.h"
#include "runtime/target.h"
#include "runtime/trial.h"
#include "runtime/worker.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Json describe_error(const Error& error) { return Json::object().set("error", to_json(error)); }

std::uint64_t resident_bytes() {
  const auto text = read_file("/proc/self/statm");
  if (!text) return 0;
  const std::size_t space = text->find(' ');
  const auto pages =
      space == std::string::npos ? 0 : std::strtoull(text->c_str() + space, nullptr, 10);
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

class Server {
 public:
  Server(const WorkerJob& job, WorkerLine tell) : job_(job), tell_(std::move(tell)) {}

  Result<Json> answer(const Json& request) {
    const Json* action = request.find("do");
    const std::string name =
        action != nullptr && action->as_string() != nullptr ? *action->as_string() : "";
    if (name == "job") return job_(request, tell_);
    if (name == "open") return open(request);
    if (name == "run") return run(request);
    if (name == "open_session") return open_session(request);
    if (name == "answer") return answer_file(request);
    if (name == "open_trial") return open_trial(request);
    if (name == "try") return try_inputs(request);
    if (name == "outputs") return save_outputs(request);
    if (name == "start") return start(request);
    if (name == "compile") return compile(request);
    if (name == "probe") return probe(request);
    if (name == "load") return load_library(request);
    if (name == "close") return close();
    return fail(Fault::bad_input, "a worker cannot '" + name + "'");
  }

 private:
  static Result<RunPlan> plan_of(const Json& request) {
    const Json* plan = request.find("plan");
    if (plan == nullptr) return fail(Fault::bad_input, "the request has no plan");
    return from_json<RunPlan>(*plan);
  }

  static Result<Path> path_of(const Json& request, std::string_view key) {
    const Json* path = request.find(key);
    if (path == nullptr || path->as_string() == nullptr)
      return fail(Fault::bad_input, "the request names no " + std::string(key));
    return Path(*path->as_string());
  }

  static Result<std::int64_t> number_of(const Json& request, std::string_view key) {
    const Json* number = request.find(key);
    if (number == nullptr) return fail(Fault::bad_input, "the request has no " + std::string(key));
    return number->to_int();
  }

  // What the EP was bound to; an EP that offers no device (see append_target) does not tell.
  std::string device_of(const Target& target) const {
    const auto devices = find_devices(*runtime_, target);
    return devices ? devices->front().facts.type : "";
  }

  // A model that fails at once on samples of ours may just need other shapes.
  Status run_first() const {
    const PreparedRun& first = streams_.front();
    Status status = first.run(0);
    if (status || first.assumptions().empty()) return status;
    Error error = std::move(status).error();
    error.hint = join(first.assumptions(), "; ");
    return fail(std::move(error));
  }

  // Before anything is opened and after what could not be: a library can be registered only once
  // at a time, and no session may run in the place of the one that was asked for.
  void forget() {
    streams_.clear();
    session_.reset();
    trial_.reset();
    runtime_.reset();
    next_ = 0;
  }

  Result<Json> open(const Json& request) {
    forget();
    Result<Json> opened = open_plan(request);
    if (!opened) forget();
    return opened;
  }

  Result<Json> open_plan(const Json& request) {
    HONE_TRY(const RunPlan plan, plan_of(request));
    WorkerOpened opened;
    HONE_TRY_DO(start_recording(plan));
    auto start = Clock::now();
    HONE_TRY(runtime_, start_runtime(plan));
    opened.runtime_ms = milliseconds_since(start);
    opened.ort_version = runtime_->version();
    opened.memory_before_bytes = resident_bytes();
    start = Clock::now();
    HONE_TRY_DO(open_streams(plan));
    opened.load_ms = milliseconds_since(start);
    opened.memory_loaded_bytes = resident_bytes();
    start = Clock::now();
    HONE_TRY_DO(run_first());
    opened.first_inference_ms = milliseconds_since(start);
    for (const PreparedRun& stream : streams_) HONE_TRY_DO(stream.capture_graphs());
    const PreparedRun& first = streams_.front();
    opened.placement =
        whole_placement(runtime_, plan.model, settings_of(plan), first.session().placement());
    opened.device = device_of(plan.target);
    opened.warnings = runtime_->take_logs();
    opened.batch = first.batch();
    opened.assumptions = first.assumptions();
    opened.wrong_outputs = first.wrong_outputs();
    return to_json(opened);
  }

  // Before the EP that uses the GPU is loaded. Where CUPTI is there and refuses (a container may
  // not let it), the driver is told to wait for every kernel, and the file says why.
  Status start_recording(const RunPlan& plan) {
    if (plan.gpu_activity.empty()) return done();
    gpu_activity_ = plan.gpu_activity;
    Result<std::unique_ptr<GpuRecorder>> recorder = GpuRecorder::start(plan.cupti);
    if (recorder) return recorder_ = std::move(*recorder), done();
    ::setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    const Error& error = recorder.error();
    GpuActivity refused;
    refused.library = plan.cupti;
    refused.problem = error.what + (error.cause.empty() ? "" : ": " + error.cause);
    return write_activity(refused);
  }

  Status write_activity(const GpuActivity& activity) const {
    return write_file(gpu_activity_,
                      to_document(activity, gpu_activity_schema_version).dump(-1) + "\n");
  }

  // Once the session is gone: all it did is over.
  Status save_recording(const Result<std::uint64_t>& profile_start_ns) {
    if (!recorder_) return done();
    const std::unique_ptr<GpuRecorder> recorder = std::move(recorder_);
    HONE_TRY(const std::uint64_t start, profile_start_ns);
    return write_activity(recorder->finish(start));
  }

  // A session for each stream; one that is not the first has no profile of its own.
  Status open_streams(RunPlan plan) {
    for (std::int64_t i = 0; i < std::max<std::int64_t>(plan.streams, 1); ++i) {
      HONE_TRY(PreparedRun stream, PreparedRun::open(runtime_, plan));
      streams_.push_back(std::move(stream));
      plan.profile_prefix.clear();
    }
    return done();
  }

  Result<Json> open_session(const Json& request) {
    forget();
    HONE_TRY(const RunPlan plan, plan_of(request));
    WorkerOpened opened;
    HONE_TRY(runtime_, start_runtime(plan));
    opened.ort_version = runtime_->version();
    HONE_TRY(session_, Session::open(runtime_, plan.model, settings_of(plan)));
    opened.placement =
        whole_placement(runtime_, plan.model, settings_of(plan), session_->placement());
    opened.device = device_of(plan.target);
    opened.warnings = runtime_->take_logs();
    return to_json(opened);
  }

  Result<Json> answer_file(const Json& request) const {
    if (!session_) return fail(Fault::bad_input, "no session is open");
    HONE_TRY(const Path inputs, path_of(request, "inputs"));
    HONE_TRY(const Path outputs, path_of(request, "outputs"));
    HONE_TRY(const WorkerAnswered answered, run_on_file(*runtime_, *session_, inputs, outputs));
    return to_json(answered);
  }

  Result<Json> run(const Json& request) {
    if (streams_.empty()) return fail(Fault::bad_input, "no session is open");
    HONE_TRY(const std::int64_t iterations, number_of(request, "iterations"));
    HONE_TRY(const std::int64_t warmup, number_of(request, "warmup"));
    HONE_TRY(const std::int64_t time_ns, number_of(request, "time_ns"));
    const StreamBlock plan{.warmup = warmup,
                           .iterations = iterations,
                           .first = next_,
                           .limit = std::chrono::nanoseconds(time_ns)};
    HONE_TRY(const WorkerBlock block, time_streams(streams_, plan));
    next_ += static_cast<std::size_t>(warmup) + block.samples_ns.size();
    return to_json(block);
  }

  Result<Json> open_trial(const Json& request) {
    forget();
    HONE_TRY(const RunPlan plan, plan_of(request));
    HONE_TRY(runtime_, start_runtime(plan));
    HONE_TRY(trial_, Trial::open(runtime_, plan));
    return Json::object();
  }

  Result<Json> try_inputs(const Json& request) const {
    const Json* shapes = request.find("shape_config");
    if (!trial_ || shapes == nullptr || shapes->as_string() == nullptr)
      return fail(Fault::bad_input, "there is nothing to try");
    HONE_TRY(const ShapeRules rules, parse_shape_text(*shapes->as_string()));
    HONE_TRY_DO(trial_->run(rules));
    return Json::object();
  }

  Result<Json> save_outputs(const Json& request) {
    if (streams_.empty()) return fail(Fault::bad_input, "no session is open");
    HONE_TRY(const std::int64_t sample, number_of(request, "sample"));
    const Json* file = request.find("file");
    if (file == nullptr || file->as_string() == nullptr || sample < 0)
      return fail(Fault::bad_input, "the request names no file");
    HONE_TRY(const NamedTensors outputs,
             streams_.front().run_for_outputs(static_cast<std::size_t>(sample)));
    std::vector<TensorPtr> arrays;
    for (const auto& [name, tensor] : outputs) arrays.push_back(tensor);
    HONE_TRY_DO(write_npz(*file->as_string(), arrays));
    return Json::object();
  }

  Result<Json> start(const Json& request) {
    forget();
    HONE_TRY(const RunPlan plan, plan_of(request));
    HONE_TRY(runtime_, start_runtime(plan));
    return Json::object();
  }

  // In the ONNX Runtime that is loaded: EPs keep there what several models share.
  Result<Json> compile(const Json& request) {
    if (!runtime_) return fail(Fault::bad_input, "no ONNX Runtime is loaded");
    HONE_TRY(const RunPlan plan, plan_of(request));
    const Json* folder = request.find("folder");
    const Json* output = request.find("output");
    const Json* embeds = request.find("embeds");
    if (output == nullptr || output->as_string() == nullptr) {
      return fail(Fault::bad_input, "the request names no output");
    }
    std::error_code problem;
    if (folder != nullptr && folder->as_string() != nullptr)
      std::filesystem::current_path(*folder->as_string(), problem);
    if (problem) return fail(Fault::io, "cannot go to the model's folder", problem.message());
    const bool is_embedded =
        embeds != nullptr && embeds->as_bool() != nullptr && *embeds->as_bool();
    const auto start = Clock::now();
    HONE_TRY_DO(compile_model(*runtime_, {plan.model, *output->as_string(), is_embedded},
                              settings_of(plan)));
    return Json::object().set("compile_ms", milliseconds_since(start));
  }

  Result<Json> probe(const Json& request) {
    forget();
    HONE_TRY(const RunPlan plan, plan_of(request));
    HONE_TRY(runtime_, start_runtime(plan));
    WorkerProbed probed;
    probed.ort_version = runtime_->version();
    probed.ort_path = runtime_->path().string();
    probed.built_in_eps = runtime_->built_in_eps();
    for (EpDevice& device : runtime_->devices()) probed.devices.push_back(std::move(device.facts));
    return to_json(probed);
  }

  static Result<Json> load_library(const Json& request) {
    const Json* name = request.find("library");
    if (name == nullptr || name->as_string() == nullptr)
      return fail(Fault::bad_input, "the request names no library");
    HONE_TRY(const Library library, Library::load(*name->as_string()));
    return Json::object().set("path", library.path().string());
  }

  Result<Json> close() {
    Result<std::uint64_t> start = std::uint64_t{0};
    if (recorder_ && !streams_.empty()) start = streams_.front().session().profile_start_ns();
    streams_.clear();
    session_.reset();
    HONE_TRY_DO(save_recording(start));
    return Json::object();
  }

  const WorkerJob& job_;
  WorkerLine tell_;
  std::shared_ptr<Runtime> runtime_;
  std::vector<PreparedRun> streams_;  // the session with its samples, as often as it runs at once
  std::optional<Session> session_;    // without samples
  std::optional<Trial> trial_;
  std::size_t next_ = 0;
  std::unique_ptr<GpuRecorder> recorder_;  // of what the GPU does, where that is asked for
  std::string gpu_activity_;
};

bool write_all(int output, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(output, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// The next line without its end, or nothing when the input is over.
std::optional<std::string> read_line(int input, std::string& buffer) {
  while (true) {
    if (const std::size_t end = buffer.find('\n'); end != std::string::npos) {
      std::string line = buffer.substr(0, end);
      buffer.erase(0, end + 1);
      return line;
    }
    char chunk[4096];
    const ssize_t count = ::read(input, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    buffer.append(chunk, static_cast<std::size_t>(count));
  }
}

}  // namespace

int serve_worker(int input, int output, const WorkerJob& job) {
  Server server(job, [output](const Json& line) { (void)write_all(output, line.dump(-1) + "\n"); });
  std::string buffer;
  while (const auto line = read_line(input, buffer)) {
    const auto request = Json::parse(*line);
    auto answer = request ? server.answer(*request) : Result<Json>(fail(request.error()));
    const Json reply = answer ? std::move(*answer) : describe_error(answer.error());
    if (!write_all(output, reply.dump(-1) + "\n")) return 1;
  }
  return 0;
}

}  // namespace hone
