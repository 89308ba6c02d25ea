#pragma once
// What a target will make of a model, and what could be done about it before it is built.

#include "flow/watch.h"
#include "record/analyze.h"
#include "record/where.h"

namespace hone {

struct AnalyzeOrder {
  static constexpr std::string_view job = "analyze";
  using Answer = Analysis;

  std::string model;          // a file, or a folder with one
  std::string rules;          // a folder in the place of the rules that come with hone
  bool runs_unknown = false;  // each node that no rule speaks of, alone, on the EP
  bool opens_model = true;    // on the EP, to see its placement
  std::string input_data;
  std::string shape_config;
  std::int64_t timeout_s = 300;  // of opening
  Where where;
};
template <RecordOf<AnalyzeOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("model", order.model, Presence::required);
  field("rules", order.rules);
  field("runs_unknown", order.runs_unknown);
  field("opens_model", order.opens_model);
  field("input_data", order.input_data);
  field("shape_config", order.shape_config);
  field("timeout_s", order.timeout_s);
  field("where", order.where);
}

Result<Analysis> analyze_model(const AnalyzeOrder& order, const Watch& watch);

}  // namespace hone
