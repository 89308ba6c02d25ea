#include "flow/parts/orders.h"

#include <algorithm>

#include "base/misuse.h"
#include "base/text.h"
#include "flow/given_model.h"
#include "flow/inputs.h"
#include "flow/parts/layout.h"
#include "pipeline/build_folder.h"

namespace hone {
namespace {

Status refuse_samples(const FoundParts& found, const std::string& samples) {
  if (samples.empty()) return done();
  return misuse("'" + printable(samples) + "' has samples of one model, and '" +
                    printable(found.given) + "' is several",
                "--part " + found.models.front().part + " takes one of them");
}

// The sizes of each part, in their order. A name that no part has is refused.
Result<std::vector<std::string>> shapes_of_parts(const FoundParts& found,
                                                 const std::string& shape_config,
                                                 const Host& host) {
  std::vector<Path> files;
  for (const PartModel& part : found.models) {
    HONE_TRY(files.emplace_back(), find_model_file(part.model, host));
  }
  HONE_TRY_DO(check_inputs(shape_config, files));
  std::vector<std::string> shapes;
  for (const Path& file : files) {
    HONE_TRY(shapes.emplace_back(), shapes_of_part(file, shape_config));
  }
  return shapes;
}

// A part that fails is named.
Failure of_part(const PartModel& part, Error error) {
  error.what = "'" + part.part + "': " + error.what;
  return fail(std::move(error));
}

template <class Answer>
CompositeAnswer<Answer> begin_answer(const FoundParts& found) {
  return {.model = found.given, .composite = found.composite, .parts = {}};
}

// What is there has to be a build of the same parts, or nothing.
Status check_output(const FoundParts& found, const Path& output) {
  std::error_code unknown;
  const bool is_there = std::filesystem::exists(output, unknown);
  if (!is_there || std::filesystem::is_empty(output, unknown)) return done();
  HONE_TRY(const std::optional<Composite> there, read_composite(output));
  const auto has_same = [&](const Composite& composite) {
    return std::ranges::equal(composite.parts, found.composite.parts, {}, &CompositePart::part,
                              &CompositePart::part);
  };
  if (there && has_same(*there)) return done();
  return fail(Fault::bad_input, "'" + output.string() + "' holds something else",
              "it is no build of " + std::to_string(found.models.size()) + " such parts",
              "choose another folder");
}

// The receipt is the last thing that is written, and the first that goes.
Status keep_receipt(const CompositeReceipt& receipt, const Path& output) {
  HONE_TRY_DO(write_composite(output, receipt.composite));
  return write_file(output / build_receipt_name,
                    to_document(receipt, composite_schema_version).dump() + "\n");
}

}  // namespace

Result<CompositeFacts> inspect_parts(const FoundParts& found, const InspectOrder& order,
                                     const Watch& watch) {
  auto all = begin_answer<ModelFacts>(found);
  for (const PartModel& part : found.models) {
    InspectOrder own = order;
    own.model = part.model;
    auto facts = inspect_model(own, watch);
    if (!facts) return of_part(part, std::move(facts).error());
    all.parts.push_back({part.part, *std::move(facts)});
  }
  return all;
}

Result<CompositePerf> measure_parts(const FoundParts& found, const PerfOrder& order,
                                    const PerfWatch& watch) {
  HONE_TRY_DO(refuse_samples(found, order.input_data));
  HONE_TRY(const std::vector<std::string> shapes,
           shapes_of_parts(found, order.shape_config, order.where.host));
  auto all = begin_answer<PerfResult>(found);
  for (std::size_t i = 0; i < found.models.size(); ++i) {
    const PartModel& part = found.models[i];
    PerfOrder own = order;
    own.model = part.model;
    own.shape_config = shapes[i];
    if (!order.trace_folder.empty())
      own.trace_folder = (Path(order.trace_folder) / part.part).string();
    auto measured = measure_model(own, watch);
    if (!measured) return of_part(part, std::move(measured).error());
    all.parts.push_back({part.part, *std::move(measured)});
  }
  return all;
}

Result<CompositeReceipt> build_parts(const FoundParts& found, const BuildOrder& order,
                                     const RecipeWishes& wishes, const Watch& watch) {
  HONE_TRY_DO(refuse_samples(found, order.input_data));
  HONE_TRY_DO(refuse_samples(found, wishes.calibration_data));
  const Path output = order.output;
  HONE_TRY_DO(check_output(found, output));
  HONE_TRY(const std::vector<std::string> shapes,
           shapes_of_parts(found, order.shape_config, order.where.host));
  std::error_code problem;
  std::filesystem::create_directories(output, problem);
  if (problem) return fail(Fault::io, "cannot make '" + output.string() + "'", problem.message());
  std::filesystem::remove(output / build_receipt_name, problem);
  auto all = begin_answer<BuildReceipt>(found);
  all.composite.variants.clear();
  for (std::size_t i = 0; i < found.models.size(); ++i) {
    const PartModel& part = found.models[i];
    BuildOrder own = order;
    own.model = part.model;
    own.output = (output / part.part).string();
    own.shape_config = shapes[i];
    auto choice = choose_recipe_for(part.model, wishes, order.where);
    if (!choice) return of_part(part, std::move(choice).error());
    own.recipe = std::move(choice->recipe);
    own.notes = std::move(choice->reasons);
    auto receipt = build_model(own, watch);
    if (!receipt) return of_part(part, std::move(receipt).error());
    all.parts.push_back({part.part, *std::move(receipt)});
    all.composite.parts[i].file = part.part + "/" + build_model_name;
  }
  HONE_TRY_DO(keep_receipt(all, output));
  return all;
}

}  // namespace hone
