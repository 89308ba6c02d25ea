// One sample of each kind, and each list with one line more: this stands in the place of the
// files *_table.cpp of the library, so that the program under test is the one that somebody has
// after adding one file and one line.

#include "catalog/publisher.h"
#include "checkpoint/family.h"
#include "checkpoint/heads.h"
#include "inspect/eval/dataset.h"
#include "inspect/eval/judge.h"
#include "kinds/ep.h"
#include "kinds/precision.h"
#include "measure/monitor.h"
#include "model/elements.h"
#include "transform/pass.h"
#include "transform/quantize/method.h"

namespace hone {
namespace {

Ep sample_ep() {
  return {.name = "sample",
          .own_name = "SampleExecutionProvider",
          .title = "Sample's",
          .summary = "Devices that are none",
          .aliases = {"smp"},
          .devices = {"npu", "gpu"},
          .origin = "nobody has it",
          .needs = {{NeedKind::library, "sample library", {"libsample.so"}, "install it"}},
          .recipe = {.preset = "cpu", .compiles_ahead = true},
          .tries = {{.device = "npu",
                     .options = {{"sample_speed", "11"}},
                     .precision = "w7a7",
                     .reason = "it goes to eleven"}},
          .sweep = {{"sample_npu", "npu", 99}},
          .monitors = {"sample"},
          .hazards = {"it does nothing"}};
}

Precision sample_precision() {
  return {.name = "w7a7",
          .summary = "7-bit weights and activations, in 8 bits",
          .aliases = {"int7"},
          .making = Making::ranges,
          .weight_type = "int8",
          .activation_type = "uint8",
          .stored_as = {"int8"},
          .milder = {{"fp16", "half precision"}},
          .usual_on = "gpu",
          .usual_because = "what samples compute with",
          .fast_on = {"npu"},
          .elsewhere = "a sample has no kernels",
          .tries = {{.gain = 0.9, .chance = 0.9}},
          .least_cosine = 0.5};
}

RealRange middle(const Histogram& /*counted*/, RealRange seen, const MethodSettings& /*settings*/) {
  return {seen.low / 2, seen.high / 2};
}

CalibrationMethod sample_method() {
  return {.name = "middle",
          .summary = "The middle half of what was seen",
          .counts = Counting::numbers,
          .range = middle};
}

Status remove_identities(Rewriter& rewriter) {
  for (Node* node : rewriter.nodes("Identity"))
    if (!node->output(0)->is_graph_output()) rewriter.replace(*node->output(0), *node->input(0));
  return done();
}

Pass sample_pass() {
  return {.name = "sample-elimination",
          .summary = "Remove what does nothing",
          .category = "elimination",
          .numerics = Numerics::bitwise,
          .run = remove_identities,
          .detection = Detection{}};
}

class SampleJudge : public Judge {
 public:
  Result<std::optional<Unit>> judge(const Judged& /*judged*/) override {
    return std::optional<Unit>({.scores = {1}, .expected = "yes", .got = "yes"});
  }
};

Result<std::unique_ptr<Judge>> open_judge(const TaskSettings& /*settings*/) {
  return std::unique_ptr<Judge>(std::make_unique<SampleJudge>());
}

Result<Json> make_data(const DatasetRequest& request, DatasetWriter& writer) {
  for (std::uint64_t i = 0; i < request.count; ++i)
    HONE_TRY_DO(writer.add({{"x", make_float_input("x", {1}, std::vector<double>{1})}}, Json(i)));
  return Json::object();
}

Task sample_task() {
  return {.name = "sample-counting",
          .summary = "Things, each of which counts",
          .feed = Feed::tokens,
          .metrics = {{"counted", true}},
          .label = "its number",
          .open = open_judge,
          .data = {{.name = "sample-things", .summary = "Ones", .count = 60, .make = make_data}}};
}

class SampleMonitor : public OpenMonitor {
 public:
  explicit SampleMonitor(const MonitorSettings& /*settings*/) {}
  Result<MonitorFinding> parse(const ClosedWindow& /*window*/) override { return MonitorFinding{}; }
};

Monitor sample_monitor() {
  return {.name = "sample",
          .summary = "What a sample does",
          .traces = true,
          .open = open_monitor<SampleMonitor>};
}

Result<std::unique_ptr<Destination>> open_place(std::string_view place,
                                                const PublisherSettings& /*settings*/) {
  return fail(Fault::unsupported, "a sample keeps nothing at '" + std::string(place) + "'");
}

// What is asked goes in and comes out.
void write_sample(Net& net, const Config& /*config*/, const WantedGraph& /*wanted*/) {
  net.output("logits", net.to_float(token_input(net, "input_ids")),
             {"batch_size", "sequence_length"});
}

Family sample_family() {
  return {.name = "sample",
          .model_types = {"sample"},
          .tasks = {"feature-extraction"},
          .write = write_sample};
}

Publisher sample_publisher() {
  return {.scheme = "sample",
          .summary = "A place that keeps nothing",
          .form = "sample://PLACE",
          .open = open_place};
}

}  // namespace

std::span<const Family> all_families() {
  static const std::vector<Family> all = {
#define HONE_FAMILY(name) families::name(),
#include "checkpoint/families.inc"
#undef HONE_FAMILY
      sample_family()};
  return all;
}

std::span<const Ep> all_eps() {
  static const std::vector<Ep> all = {
#define HONE_EP(name) eps::name(),
#include "kinds/eps.inc"
#undef HONE_EP
      sample_ep()};
  return all;
}

std::span<const Precision> all_precisions() {
  static const std::vector<Precision> all = {
#define HONE_PRECISION(name) precisions::name(),
#include "kinds/precisions.inc"
#undef HONE_PRECISION
      sample_precision()};
  return all;
}

std::span<const CalibrationMethod> all_methods() {
  static const std::vector<CalibrationMethod> all = {
#define HONE_METHOD(name) methods::name(),
#include "transform/quantize/methods.inc"
#undef HONE_METHOD
      sample_method()};
  return all;
}

std::span<const Pass> all_passes() {
  static const std::vector<Pass> all = {
#define HONE_PASS(name) passes::name(),
#include "transform/passes.inc"
#undef HONE_PASS
      sample_pass()};
  return all;
}

std::span<const Task> all_tasks() {
  static const std::vector<Task> all = {
#define HONE_TASK(name) tasks::name(),
#include "inspect/eval/tasks.inc"
#undef HONE_TASK
      sample_task()};
  return all;
}

std::span<const Monitor> all_monitors() {
  static const std::vector<Monitor> all = {
#define HONE_MONITOR(name) monitors::name(),
#include "measure/monitors.inc"
#undef HONE_MONITOR
      sample_monitor()};
  return all;
}

std::span<const Publisher> all_publishers() {
  static const std::vector<Publisher> all = {
#define HONE_PUBLISHER(name) publishers::name(),
#include "catalog/publishers.inc"
#undef HONE_PUBLISHER
      sample_publisher()};
  return all;
}

}  // namespace hone
