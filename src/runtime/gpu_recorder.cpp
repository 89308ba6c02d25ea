#include "runtime/gpu_recorder.h"

#include <cxxabi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/library.h"
#include "base/text.h"
#include "runtime/cupti_abi.h"

namespace hone {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{4} << 20;
// What we are willing to hold: a trace is of some twenty inferences.
constexpr std::size_t most_records = 4'000'000;
constexpr std::size_t longest_name = 200;
constexpr auto recorded = {cupti::kernel, cupti::copy, cupti::fill, cupti::runtime_call,
                           cupti::driver_call};

struct RawWork {
  GpuWorkKind kind = GpuWorkKind::kernel;
  std::string name;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint32_t correlation = 0;
  std::uint64_t bytes = 0;
};

// CUPTI calls back without saying for whom.
struct State {
  std::mutex mutex;
  cupti::Functions cupti;
  std::vector<RawWork> work;
  std::unordered_map<std::uint32_t, std::uint64_t> launches;  // by correlation: when
  std::uint64_t dropped = 0;
  std::uint64_t malformed = 0;
};

State& state() {
  static State one;
  return one;
}

void hand_out_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes));
  *size = *buffer != nullptr ? buffer_bytes : 0;
  *records = 0;  // as many as fit
}

void add(State& into, RawWork work) {
  const bool makes_sense = work.start > 0 && work.end >= work.start;
  if (!makes_sense) {
    ++into.malformed;
  } else if (into.work.size() >= most_records) {
    ++into.dropped;
  } else {
    into.work.push_back(std::move(work));
  }
}

std::string copy_name(std::uint8_t kind) {
  return kind == 1 ? "host to device" : kind == 2 ? "device to host" : "copy";
}

template <class Record>
Record record_at(const std::uint8_t* record) {
  Record read;
  std::memcpy(&read, record, sizeof read);
  return read;
}

// `room` is how much of the buffer lies behind the record.
void read_record(State& into, const std::uint8_t* record, std::size_t room) {
  const auto kind = record_at<std::uint32_t>(record);
  if (kind == cupti::kernel && room >= sizeof(cupti::Kernel)) {
    const auto kernel = record_at<cupti::Kernel>(record);
    const char* name = kernel.name != nullptr ? kernel.name : "";
    constexpr std::size_t most = 4096;
    add(into, {GpuWorkKind::kernel, std::string(name, strnlen(name, most)), kernel.start,
               kernel.end, kernel.correlation});
  } else if (kind == cupti::copy && room >= sizeof(cupti::Copy)) {
    const auto copy = record_at<cupti::Copy>(record);
    add(into, {GpuWorkKind::copy, copy_name(copy.copy_kind), copy.start, copy.end, copy.correlation,
               copy.bytes});
  } else if (kind == cupti::fill && room >= sizeof(cupti::Fill)) {
    const auto fill = record_at<cupti::Fill>(record);
    add(into, {GpuWorkKind::fill, "fill", fill.start, fill.end, fill.correlation, fill.bytes});
  } else if ((kind == cupti::runtime_call || kind == cupti::driver_call) &&
             room >= sizeof(cupti::Call)) {
    const auto call = record_at<cupti::Call>(record);
    if (into.launches.size() >= most_records) return;
    // The runtime's call and the driver's inside of it go by one number: the first is the launch.
    const auto [place, is_new] = into.launches.try_emplace(call.correlation, call.start);
    if (!is_new) place->second = std::min(place->second, call.start);
  }
}

void take_buffer(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                 std::size_t valid) {
  State& into = state();
  const std::scoped_lock lock(into.mutex);
  const std::size_t end = std::min(valid, size);
  std::uint8_t* record = nullptr;
  while (buffer != nullptr && into.cupti.next_record(buffer, end, &record) == 0) {
    const bool is_inside = record >= buffer && record + sizeof(std::uint32_t) <= buffer + end;
    if (!is_inside) {
      ++into.malformed;
      break;
    }
    read_record(into, record, static_cast<std::size_t>(buffer + end - record));
  }
  std::size_t dropped = 0;
  if (into.cupti.dropped(context, stream, &dropped) == 0) into.dropped += dropped;
  std::free(buffer);
}

template <class Function>
Status bind(const Library& library, const char* name, Function& function) {
  HONE_TRY(void* const symbol, library.symbol(name));
  function = reinterpret_cast<Function>(symbol);
  return done();
}

Result<cupti::Functions> bind_all(const Library& library) {
  cupti::Functions made;
  HONE_TRY_DO(bind(library, "cuptiGetVersion", made.version));
  HONE_TRY_DO(bind(library, "cuptiGetTimestamp", made.timestamp));
  HONE_TRY_DO(bind(library, "cuptiGetResultString", made.error_string));
  HONE_TRY_DO(bind(library, "cuptiActivityRegisterCallbacks", made.register_callbacks));
  HONE_TRY_DO(bind(library, "cuptiActivityEnable", made.enable));
  HONE_TRY_DO(bind(library, "cuptiActivityDisable", made.disable));
  HONE_TRY_DO(bind(library, "cuptiActivityFlushAll", made.flush));
  HONE_TRY_DO(bind(library, "cuptiActivityGetNextRecord", made.next_record));
  HONE_TRY_DO(bind(library, "cuptiActivityGetNumDroppedRecords", made.dropped));
  return made;
}

Status check(const cupti::Functions& cupti, cupti::Result result, const std::string& doing) {
  if (result == 0) return done();
  const char* words = nullptr;
  if (cupti.error_string(result, &words) != 0 || words == nullptr) words = "an unknown error";
  return fail(Fault::unsupported, "CUPTI cannot " + doing, words);
}

std::uint64_t system_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

// What CUPTI's clock is ahead of the system's, by the tightest of some looks at both.
std::int64_t clock_offset_ns(const cupti::Functions& cupti) {
  constexpr int looks = 20;
  std::int64_t offset = 0;
  std::uint64_t tightest = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < looks; ++i) {
    const std::uint64_t before = system_ns();
    std::uint64_t theirs = 0;
    if (cupti.timestamp(&theirs) != 0) continue;
    const std::uint64_t after = system_ns();
    if (after < before || after - before >= tightest) continue;
    tightest = after - before;
    offset = static_cast<std::int64_t>(theirs - before - tightest / 2);
  }
  return offset;
}

// "sm90_xmma_gemm" or a C++ function without its parameters' types.
std::string readable(const std::string& mangled) {
  int status = 0;
  char* plain = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 && plain != nullptr ? plain : mangled;
  std::free(plain);
  if (name.size() > longest_name) name.resize(longest_name);
  return printable(name);
}

}  // namespace

Result<std::unique_ptr<GpuRecorder>> GpuRecorder::start(const std::string& library_name) {
  HONE_TRY(const Library library, Library::load(library_name));
  HONE_TRY(const cupti::Functions functions, bind_all(library));
  State& own = state();
  {
    const std::scoped_lock lock(own.mutex);
    own.cupti = functions;
    own.work.clear();
    own.launches.clear();
    own.dropped = own.malformed = 0;
  }
  HONE_TRY_DO(check(functions, functions.register_callbacks(hand_out_buffer, take_buffer),
                    "take our buffers"));
  std::unique_ptr<GpuRecorder> recorder(new GpuRecorder());
  recorder->library_ = library.path().string();
  recorder->is_running_ = true;
  for (const cupti::Kind kind : recorded)
    HONE_TRY_DO(check(functions, functions.enable(kind), "record what the GPU does"));
  return recorder;
}

GpuRecorder::~GpuRecorder() { stop(); }

void GpuRecorder::stop() {
  if (!is_running_) return;
  is_running_ = false;
  const cupti::Functions functions = state().cupti;
  constexpr std::uint32_t even_what_is_not_full = 1;
  (void)functions.flush(even_what_is_not_full);
  for (const cupti::Kind kind : recorded) (void)functions.disable(kind);
}

GpuActivity GpuRecorder::finish(std::uint64_t profile_start_ns) {
  State& own = state();
  const auto offset = static_cast<std::uint64_t>(clock_offset_ns(own.cupti)) + profile_start_ns;
  stop();
  const std::scoped_lock lock(own.mutex);
  GpuActivity activity;
  activity.library = library_;
  std::uint32_t version = 0;
  if (own.cupti.version(&version) == 0) activity.version = version;
  activity.dropped = own.dropped;
  activity.malformed = own.malformed;
  // Whole nanoseconds until the last step: since 1970 they are more than a double has digits for.
  const auto in_us = [&](std::uint64_t time) {
    return static_cast<double>(static_cast<std::int64_t>(time - offset)) / 1000;
  };
  std::map<std::string, std::string> names;
  for (const RawWork& raw : own.work) {
    auto [name, is_new] = names.try_emplace(raw.name);
    if (is_new) name->second = readable(raw.name);
    GpuWork work{.kind = raw.kind, .name = name->second, .bytes = raw.bytes};
    work.start_us = in_us(raw.start);
    work.duration_us = static_cast<double>(raw.end - raw.start) / 1000;
    if (const auto launch = own.launches.find(raw.correlation); launch != own.launches.end())
      work.launch_us = in_us(launch->second);
    activity.work.push_back(std::move(work));
  }
  std::ranges::stable_sort(activity.work, {}, &GpuWork::start_us);
  return activity;
}

}  // namespace hone
