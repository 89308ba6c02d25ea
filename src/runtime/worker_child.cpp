// The child's side of a worker.

#include <unistd.h>

#include <chrono>
#include <optional>

#include "base/json.h"
#include "model/npz/npz.h"
#include "runtime/prepared.h"
#include "runtime/worker.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Json describe_error(const Error& error) {
  const WorkerFault fault{error.fault, error.what, error.cause, error.hint};
  return Json::object().set("error", to_json(fault));
}

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
  Result<Json> answer(const Json& request) {
    const Json* action = request.find("do");
    const std::string name =
        action != nullptr && action->as_string() != nullptr ? *action->as_string() : "";
    if (name == "open") return open(request);
    if (name == "run") return run(request);
    if (name == "outputs") return save_outputs(request);
    if (name == "probe") return probe(request);
    if (name == "close") return close();
    return fail(Fault::bad_input, "a worker cannot '" + name + "'");
  }

 private:
  static Result<RunPlan> plan_of(const Json& request) {
    const Json* plan = request.find("plan");
    if (plan == nullptr) return fail(Fault::bad_input, "the request has no plan");
    return from_json<RunPlan>(*plan);
  }

  static Result<std::int64_t> number_of(const Json& request, std::string_view key) {
    const Json* number = request.find(key);
    if (number == nullptr) return fail(Fault::bad_input, "the request has no " + std::string(key));
    return number->to_int();
  }

  Result<Json> open(const Json& request) {
    HONE_TRY(const RunPlan plan, plan_of(request));
    WorkerOpened opened;
    auto start = Clock::now();
    HONE_TRY(runtime_, start_runtime(plan));
    opened.runtime_ms = milliseconds_since(start);
    opened.ort_version = runtime_->version();
    opened.memory_before_bytes = resident_bytes();
    start = Clock::now();
    HONE_TRY(prepared_, PreparedRun::open(runtime_, plan));
    opened.load_ms = milliseconds_since(start);
    opened.memory_loaded_bytes = resident_bytes();
    start = Clock::now();
    HONE_TRY_DO(prepared_->run(0));
    opened.first_inference_ms = milliseconds_since(start);
    opened.placement = prepared_->session().placement();
    opened.batch = prepared_->batch();
    opened.assumptions = prepared_->assumptions();
    return to_json(opened);
  }

  Result<Json> run(const Json& request) {
    if (!prepared_) return fail(Fault::bad_input, "no session is open");
    HONE_TRY(const std::int64_t iterations, number_of(request, "iterations"));
    HONE_TRY(const std::int64_t warmup, number_of(request, "warmup"));
    for (std::int64_t i = 0; i < warmup; ++i) HONE_TRY_DO(prepared_->run(next_++));
    WorkerBlock block;
    block.samples_ns.reserve(static_cast<std::size_t>(std::max<std::int64_t>(iterations, 0)));
    for (std::int64_t i = 0; i < iterations; ++i) {
      const auto start = Clock::now();
      const Status status = prepared_->run(next_++);
      const auto elapsed = Clock::now() - start;
      if (!status) return fail(status.error());
      block.samples_ns.push_back(static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count()));
    }
    return to_json(block);
  }

  Result<Json> save_outputs(const Json& request) {
    if (!prepared_) return fail(Fault::bad_input, "no session is open");
    HONE_TRY(const std::int64_t sample, number_of(request, "sample"));
    const Json* file = request.find("file");
    if (file == nullptr || file->as_string() == nullptr || sample < 0)
      return fail(Fault::bad_input, "the request names no file");
    HONE_TRY_DO(prepared_->run(static_cast<std::size_t>(sample)));
    HONE_TRY(const NamedTensors outputs, prepared_->outputs(static_cast<std::size_t>(sample)));
    std::vector<TensorPtr> arrays;
    for (const auto& [name, tensor] : outputs) arrays.push_back(tensor);
    HONE_TRY_DO(write_npz(*file->as_string(), arrays));
    return Json::object();
  }

  Result<Json> probe(const Json& request) {
    HONE_TRY(const RunPlan plan, plan_of(request));
    HONE_TRY(runtime_, start_runtime(plan));
    Json devices = Json::array();
    for (const EpDevice& device : runtime_->devices()) devices.push(to_json(device.facts));
    return Json::object().set("devices", std::move(devices));
  }

  Result<Json> close() {
    prepared_.reset();
    return Json::object();
  }

  std::shared_ptr<Runtime> runtime_;
  std::optional<PreparedRun> prepared_;
  std::size_t next_ = 0;
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

int serve_worker(int input, int output) {
  Server server;
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
