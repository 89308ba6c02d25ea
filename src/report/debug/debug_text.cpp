#include "report/debug/debug_text.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>

#include "base/counted.h"
#include "base/text.h"
#include "report/trace/text.h"

namespace hone {
namespace {

constexpr std::size_t widest_name = 60;
// An error of a tenth, and of a hundredth.
constexpr double poor_db = 20;
constexpr double fair_db = 40;

std::string decibels(std::optional<double> db, bool is_exact, std::uint64_t not_finite = 0) {
  if (!db && not_finite > 0) return "not finite";
  if (!db) return is_exact ? "exact" : "-";
  return text_form::fixed(*db, 2) + " dB";
}

std::string grade(std::optional<double> db, std::uint64_t not_finite = 0) {
  if (!db) return not_finite > 0 ? "poor" : "";
  return *db < poor_db ? "poor" : *db < fair_db ? "fair" : "good";
}

std::string summary_text(const LossSummary& summary) {
  if (summary.count == 0) return "none\n";
  const auto number = [](std::optional<double> value) {
    return text_form::fixed(value.value_or(0), 2);
  };
  return format_count(summary.count) + ", mean " + number(summary.mean) + ", std " +
         number(summary.std) + ", min " + number(summary.min) + ", max " + number(summary.max) +
         "\n";
}

std::string magnitude(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

std::string reason_of(const ActivationLoss& loss) {
  if (!loss.cause) return "";
  const std::string type = loss.type;
  switch (*loss.cause) {
    case LossCause::weights:
      return "the weights of its node";
    case LossCause::overflow:
      return loss.overflow > 0
                 ? "overflow: " + format_count(loss.overflow) + " numbers, up to " +
                       magnitude(loss.largest.value_or(0)) + ", are infinite in " + type
                 : "overflow: " + format_count(loss.local_not_finite) + " numbers are not finite";
    case LossCause::underflow:
      if (loss.local_not_finite > 0)
        return "underflow: it divides by numbers that are zero in " + type;
      return loss.underflow > 0
                 ? "underflow: " + format_count(loss.underflow) + " numbers are zero in " + type
                 : "underflow: its inputs are zero, or nearly, in " + type;
    case LossCause::few_digits:
      return "its inputs have too few digits in " + type;
    default:
      break;
  }
  std::string cause(name_of(*loss.cause));
  std::ranges::replace(cause, '_', ' ');
  return cause + ", " + text_form::fixed(loss.excess_loss_db.value_or(0), 1) + " dB in excess";
}

// What has a decibel, the lowest first, at most `top` of them.
template <class Loss, class Decibels>
std::vector<const Loss*> worst(const std::vector<Loss>& losses, std::size_t top,
                               Decibels decibels) {
  std::vector<const Loss*> found;
  for (const Loss& loss : losses) {
    if (std::invoke(decibels, loss)) found.push_back(&loss);
  }
  std::ranges::stable_sort(found, {},
                           [&](const Loss* loss) { return *std::invoke(decibels, *loss); });
  if (found.size() > top) found.resize(top);
  return found;
}

std::string outputs_text(const DebugResult& result) {
  const bool has_device = result.ep != "cpu";
  std::vector<text_form::Row> rows;
  for (const OutputLoss& loss : result.model_outputs) {
    rows.push_back({loss.output_name,
                    decibels(loss.cumulative_sqnr_db, loss.exact, loss.not_finite),
                    grade(loss.cumulative_sqnr_db, loss.not_finite)});
    if (!has_device) continue;
    rows.back().push_back(
        result.ep + " " +
        decibels(loss.device_cumulative_sqnr_db, loss.exact && loss.device_exact));
    rows.back().push_back("against cpu " + decibels(loss.device_sqnr_db, loss.device_exact));
  }
  return "outputs, cumulative\n" + text_form::columns(rows, widest_name, "234");
}

// In the order of the graph: the first is the one to look at. What is not finite comes before what
// is only noisy: nothing behind it can be judged.
std::vector<const ActivationLoss*> originators(const DebugResult& result) {
  std::vector<const ActivationLoss*> found;
  for (const ActivationLoss& loss : result.activations) {
    if (loss.loss_class == LossClass::originator) found.push_back(&loss);
  }
  std::ranges::stable_partition(
      found, [](const ActivationLoss* loss) { return loss->local_not_finite > 0; });
  return found;
}

std::string originators_text(const DebugResult& result, std::size_t top) {
  std::vector<text_form::Row> rows;
  const std::vector<const ActivationLoss*> found = originators(result);
  for (const ActivationLoss* loss : found) {
    if (rows.size() == top) break;
    rows.push_back(
        {loss->tensor_name,
         "local " + decibels(loss->local_sqnr_db, loss->local_exact, loss->local_not_finite),
         "cumulative " +
             decibels(loss->cumulative_sqnr_db, loss->cumulative_exact, loss->not_finite),
         loss->op_type, reason_of(*loss)});
  }
  const std::size_t more = found.size() - rows.size();
  if (rows.empty()) return "";
  std::string text = "where loss begins\n" + text_form::columns(rows, widest_name, "1234");
  return more == 0 ? text : text + "  ... and " + std::to_string(more) + " more\n";
}

std::string activations_text(const DebugResult& result, std::size_t top, std::string_view title,
                             const LossSummary& summary,
                             std::optional<double> ActivationLoss::*decibel) {
  std::vector<text_form::Row> rows;
  for (const ActivationLoss* loss : worst(result.activations, top, decibel)) {
    rows.push_back({loss->tensor_name, decibels(loss->*decibel, false), grade(loss->*decibel),
                    std::string(name_of(loss->loss_class)), loss->op_type, reason_of(*loss)});
  }
  return std::string(title) + summary_text(summary) + text_form::columns(rows, widest_name, "2345");
}

// What the model as a whole does in half precision, one line for each fact.
std::string half_text(const DebugResult& result) {
  if (!result.half) return "";
  const HalfSummary& half = *result.half;
  const auto limit = [&] { return half.type == "float16" ? " (65504)" : ""; };
  std::string text =
      half.type + ", simulated on the CPU: floats, rounded at the border of every tensor\n";
  if (half.overflow > 0) {
    text += "overflow: " + counted(half.overflow, "tensor") + " not finite in " + half.type +
            limit() + ", the first '" + printable(half.first_overflow.value_or("")) + "'\n";
  }
  if (half.harmless_overflow > 0) {
    text += "overflow without harm: " + counted(half.harmless_overflow, "tensor") +
            "; what reads them is right all the same\n";
  }
  if (half.underflow > 0) {
    text += "underflow: " + counted(half.underflow, "tensor") + " with numbers that are zero in " +
            half.type + "\n";
  }
  std::uint64_t large = 0;
  std::uint64_t small = 0;
  std::string first;
  for (const WeightLoss& weight : result.weights) {
    if (weight.overflow > 0 && large++ == 0) first = weight.weight_name;
    small += weight.underflow > 0 ? 1 : 0;
  }
  if (large > 0) {
    text += "weights beyond its range: " + counted(large, "tensor") + ", the first '" +
            printable(first) + "'\n";
  }
  if (small > 0)
    text += "weights with numbers too small for it: " + counted(small, "tensor") + "\n";
  return text;
}

std::string weights_text(const DebugResult& result, std::size_t top) {
  std::vector<text_form::Row> rows;
  for (const WeightLoss* loss : worst(result.weights, top, &WeightLoss::weight_sqnr_db)) {
    rows.push_back({loss->weight_name, decibels(loss->weight_sqnr_db, false),
                    grade(loss->weight_sqnr_db), loss->op_type});
  }
  return "weights: " + summary_text(result.summary.weight) +
         text_form::columns(rows, widest_name, "23");
}

// Where the device alone adds noise: the same model on the CPU does not have it.
std::string device_text(const DebugResult& result, std::size_t top) {
  if (result.ep == "cpu") return "";
  std::vector<text_form::Row> rows;
  for (const ActivationLoss* loss :
       worst(result.activations, top, &ActivationLoss::device_sqnr_db)) {
    rows.push_back({loss->tensor_name, decibels(loss->device_sqnr_db, false),
                    grade(loss->device_sqnr_db), loss->op_type});
  }
  const std::string title =
      result.ep + " against cpu, the same " + (result.half ? "model" : "quantized model") + ":";
  return rows.empty() ? title + " no difference\n"
                      : title + "\n" + text_form::columns(rows, widest_name, "23");
}

std::string unmatched_text(const DebugResult& result, std::size_t top) {
  if (result.unmatched.empty()) return "";
  std::vector<text_form::Row> rows;
  for (const UnmatchedTensor& tensor : result.unmatched) {
    if (rows.size() == top) break;
    rows.push_back({tensor.tensor, tensor.kind, tensor.reason});
  }
  std::string text = "not compared: " + counted(result.unmatched.size(), "tensor") + "\n" +
                     text_form::columns(rows, widest_name, "12");
  if (result.unmatched.size() > rows.size())
    text += "  ... and " + std::to_string(result.unmatched.size() - rows.size()) + " more\n";
  return text;
}

std::string classes_text(const DebugResult& result) {
  const auto count = [&](LossClass wanted) {
    return static_cast<std::uint64_t>(
        std::ranges::count(result.activations, wanted, &ActivationLoss::loss_class));
  };
  return "  " + counted(count(LossClass::originator), "originator") + ", " +
         counted(count(LossClass::inheritor), "inheritor") + ", " +
         format_count(count(LossClass::clean)) + " clean\n";
}

}  // namespace

std::string describe_debug(const DebugResult& result, std::size_t top) {
  std::string text = printable(result.quant_model) + " against " + printable(result.float_model) +
                     ", " + counted(result.samples, "sample") + " (" +
                     printable(result.samples_from) + ")\n" + classes_text(result);
  text += outputs_text(result) + originators_text(result, top) + half_text(result);
  text += activations_text(
      result, top, result.half ? "local, by its node alone: " : "local, a tensor's own rounding: ",
      result.summary.local, &ActivationLoss::local_sqnr_db);
  text += activations_text(result, top,
                           "cumulative, with what it inherits: ", result.summary.cumulative,
                           &ActivationLoss::cumulative_sqnr_db);
  text += weights_text(result, top) + device_text(result, top) + unmatched_text(result, top);
  for (const std::string& change : result.perturbed)
    text += "looking changed: " + printable(change) + "\n";
  for (const std::string& note : result.notes) text += "note: " + printable(note) + "\n";
  return text;
}

}  // namespace hone
