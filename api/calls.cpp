// What can be done to a model: an order from the caller's options, the flow, the answer.

#include "api/arguments.h"
#include "api/border.h"
#include "api/handles.h"
#include "api/watching.h"
#include "flow/build.h"
#include "flow/compare.h"
#include "flow/debug.h"
#include "flow/inspect.h"
#include "flow/job.h"
#include "flow/optimize.h"
#include "flow/perf.h"
#include "flow/quantize.h"
#include "flow/recipe_choice.h"
#include "flow/search/search.h"

namespace hone::api {
namespace {

// Nobody but the caller ends a call; a worker has some limit all the same.
constexpr std::chrono::hours longest_call{24 * 20};

Ending stopped() {
  return {HONE_STOPPED, {Fault::runtime, "stopped, as the caller asked", {}, {}}};
}

Ending not_held(std::string what, std::string cause, std::string hint) {
  return {HONE_NOT_HELD, {Fault::not_held, std::move(what), std::move(cause), std::move(hint)}};
}

template <Record T>
void give(const T& answer, std::int64_t schema_version, hone_result** result) {
  if (result != nullptr) *result = new hone_result(to_document(answer, schema_version));
}

// One call, from its arguments to its end. What is common to all of them is here.
class Call {
 public:
  Call(const hone_context* context, const hone_watch* watch, hone_result** result)
      : context_(context), watching_(watch), result_(result) {
    if (result != nullptr) *result = nullptr;
  }

  template <class Order>
  Result<Order> order(const char* options, std::initializer_list<Given> given) const {
    HONE_TRY_DO(check_given(context_, "context"));
    HONE_TRY_DO(watching_.check());
    return read_order<Order>(context_->host, options, given);
  }

  // In a worker, which is killed where the caller stops it.
  template <class Order>
  Result<typename Order::Answer> run(const Order& order) {
    return run_apart(order, context_->host.program, {.time = longest_call}, watching_.watch());
  }

  // A failure after a stop is the stop; an answer after it is what was known by then.
  template <class T, class Judge>
  Result<Ending> end(Result<T> answer, std::int64_t schema_version, Judge&& judge) {
    if (!answer && watching_.is_stopped()) return stopped();
    if (!answer) return fail(std::move(answer).error());
    give(*answer, schema_version, result_);
    return judge(*answer);
  }
  template <class T>
  Result<Ending> end(Result<T> answer, std::int64_t schema_version) {
    return end(std::move(answer), schema_version, [](const T&) { return Ending{}; });
  }
  template <class T>
  Result<Ending> end_with_what_is_known(Result<T> answer, std::int64_t schema_version) {
    return end(std::move(answer), schema_version,
               [this](const T&) { return watching_.is_stopped() ? stopped() : Ending{}; });
  }

  Watch watch() { return watching_.watch(); }
  bool is_stopped() const { return watching_.is_stopped(); }

 private:
  const hone_context* context_;
  Watching watching_;
  hone_result** result_;
};

Ending judge_optimized(const OptimizeReport& report) {
  if (holds(report)) return {};
  if (report.verified->is_undecided)
    return not_held("it cannot be told whether the optimized model computes the same",
                    "it was not written", "give real inputs as `input_data`");
  return not_held("the optimized model computes something else", "it was not written",
                  "`hone optimize MODEL --bisect` finds the optimizer of ONNX Runtime");
}

Ending judge_quantized(const QuantizeResult& result) {
  if (result.written) return {};
  return not_held("too little is left of an output", "the quantized model was not written",
                  "`tried` in the result says what would help");
}

Ending judge_perf(const PerfResult& result, bool is_stopped) {
  if (is_stopped) return stopped();
  if (!result.op_trace || result.op_trace->has_operators()) return {};
  return {HONE_NO_TRACE,
          {Fault::runtime, "tracing was asked for, and there is no trace",
           result.op_trace->error.value_or(""), "without `tracing` the latency stands as it is"}};
}

// Of the text that was given, or what the policy chooses for the target.
Status choose(const char* recipe, BuildOrder& order) {
  if (recipe == nullptr) {
    HONE_TRY(RecipeChoice choice, choose_recipe_for(order.model, {}, order.where));
    order.recipe = std::move(choice.recipe);
    order.notes = std::move(choice.reasons);
    return done();
  }
  const auto read = [&]() -> Result<Recipe> {
    HONE_TRY(const Json document, Json::parse(recipe));
    return from_document<Recipe>(document, recipe_schema_version);
  };
  Result<Recipe> said = read();
  if (said) return order.recipe = *std::move(said), done();
  Error error = std::move(said).error();
  error.what = "the recipe cannot be read: " + error.what;
  error.fault = Fault::bad_input;
  return fail(std::move(error));
}

}  // namespace
}  // namespace hone::api

using namespace hone;
using namespace hone::api;

hone_code hone_inspect(const hone_context* context, const char* model, const char* options,
                       hone_result** result, hone_error** error) {
  return at_border(error, [&]() -> Result<Ending> {
    Call call(context, nullptr, result);
    HONE_TRY(const auto order, call.order<InspectOrder>(options, {{"model", model}}));
    return call.end(inspect_model(order, {}), inspect_schema_version);
  });
}

hone_code hone_optimize(const hone_context* context, const char* model, const char* output,
                        const char* options, const hone_watch* watch, hone_result** result,
                        hone_error** error) {
  return at_border(error, [&]() -> Result<Ending> {
    Call call(context, watch, result);
    HONE_TRY(const auto order,
             call.order<OptimizeOrder>(options, {{"model", model}, {"output", output}}));
    return call.end(call.run(order), optimize_schema_version, judge_optimized);
  });
}

hone_code hone_quantize(const hone_context* context, const char* model, const char* output,
                        const char* options, const hone_watch* watch, hone_result** result,
                        hone_error** error) {
  return at_border(error, [&]() -> Result<Ending> {
    Call call(context, watch, result);
    HONE_TRY(const auto order,
             call.order<QuantizeOrder>(options, {{"model", model}, {"output", output}}));
    return call.end(call.run(order), quantize_schema_version, judge_quantized);
  });
}

hone_code hone_build(const hone_context* context, const char* model, const char* folder,
                     const char* recipe, const char* options, const hone_watch* watch,
                     hone_result** result, hone_error** error) {
  return at_border(error, [&]() -> Result<Ending> {
    Call call(context, watch, result);
    HONE_TRY(auto order,
             call.order<BuildOrder>(
                 options, {{"model", model}, {"output", folder}, {"recipe", to_json(Recipe{})}}));
    HONE_TRY_DO(choose(recipe, order));
    return call.end(call.run(order), build_schema_version);
  });
}

hone_code hone_debug(const hone_context* context, const char* float_model,
                     const char* quantized_model, const char* options, const hone_watch* watch,
                     hone_result** result, hone_error** error) {
  return at_border(error, [&]() -> Result<Ending> {
    Call call(context, watch, result);
    HONE_TRY(const auto order, call.order<DebugOrder>(options, {{"float_model", float_model},
                                                                {"quant_model", quantized_model}}));
    return call.end(call.run(order), debug_schema_version);
  });
}

hone_code hone_compare(const hone_context* context, const char* options, const hone_watch* watch,
                       hone_result** result, hone_error** error) {
  return at_border(error, [&]() -> Result<Ending> {
    Call call(context, watch, result);
    HONE_TRY(const auto order, call.order<CompareOrder>(options, {}));
    return call.end_with_what_is_known(compare_arms(order, call.watch()),
                                       comparison_schema_version);
  });
}

hone_code hone_search(const hone_context* context, const char* model, const char* folder,
                      const char* options, const hone_watch* watch, hone_result** result,
                      hone_error** error) {
  return at_border(error, [&]() -> Result<Ending> {
    Call call(context, watch, result);
    HONE_TRY(const auto order,
             call.order<SearchOrder>(options, {{"model", model}, {"folder", folder}}));
    HONE_TRY_DO(check(order));
    return call.end_with_what_is_known(search_model(order, call.watch()), search_schema_version);
  });
}

hone_code hone_perf(const hone_context* context, const char* model, const char* options,
                    const hone_monitor* monitors, size_t monitor_count, const hone_watch* watch,
                    hone_result** result, hone_error** error) {
  return at_border(error, [&]() -> Result<Ending> {
    Call call(context, watch, result);
    HONE_TRY(const auto order, call.order<PerfOrder>(options, {{"model", model}}));
    HONE_TRY(const Monitors asked, Monitors::ask(monitors, monitor_count));
    PerfWatch watched{.watch = call.watch(), .watchers = asked.watchers()};
    return call.end(measure_model(order, watched), perf_schema_version,
                    [&](const PerfResult& perf) { return judge_perf(perf, call.is_stopped()); });
  });
}
