#pragma once
// Builds raced against each other until there is a verdict.

#include <functional>
#include <optional>

#include "flow/watch.h"
#include "measure/race.h"
#include "record/comparison.h"
#include "record/recipe.h"
#include "record/where.h"

namespace hone {

// One arm. What it says of where it runs is put over what all arms have.
struct CompareArm {
  std::string name;              // empty: the path of its model
  std::string model;             // a file, or a build folder, which runs as its recipe says
  std::optional<Recipe> recipe;  // builds the model for the race, and is how it runs
  std::string ep;
  std::string device;
  std::vector<std::string> ort;  // ONNX Runtime libraries to try; empty: the host's
  std::optional<std::int64_t> threads;
  std::map<std::string, std::string> ep_options;
  std::map<std::string, std::string> session_options;
  std::optional<IoBinding> io_binding;
};
template <RecordOf<CompareArm> Self>
void for_each_field(Self& arm, auto&& field) {
  field("name", arm.name);
  field("model", arm.model, Presence::required);
  field("recipe", arm.recipe);
  field("ep", arm.ep);
  field("device", arm.device);
  field("ort", arm.ort);
  field("threads", arm.threads);
  field("ep_options", arm.ep_options);
  field("session_options", arm.session_options);
  field("io_binding", arm.io_binding, Presence::when_given);
}

struct CompareOrder {
  static constexpr std::string_view job = "compare";
  using Answer = Comparison;

  std::vector<CompareArm> arms;   // the first is the baseline
  double margin = 0.01;           // a share; what differs by less is equivalent
  std::int64_t rounds = 8;        // turns of each arm in a session
  std::int64_t most_seconds = 0;  // of everything; 0: no limit
  std::string input_data;
  std::string shape_config;
  std::uint64_t seed = 0;  // of inputs and of the order of arms
  std::string repeat;      // the command line that repeats it, for the result
  Where where;
};
template <RecordOf<CompareOrder> Self>
void for_each_field(Self& order, auto&& field) {
  field("arms", order.arms, Presence::required);
  field("margin", order.margin);
  field("rounds", order.rounds);
  field("most_seconds", order.most_seconds);
  field("input_data", order.input_data);
  field("shape_config", order.shape_config);
  field("seed", order.seed);
  field("repeat", order.repeat);
  field("where", order.where);
}

// What a watcher in the same process has besides.
struct CompareWatch {
  Watch watch{};
  std::function<void(const RaceProgress&)> progress{};
};

// Runs here, and the models in workers. One that is stopped tells what its sessions show.
Result<Comparison> compare_arms(const CompareOrder& order, const CompareWatch& watch);
Result<Comparison> compare_arms(const CompareOrder& order, const Watch& watch);

// An arm as it races, and what the recipe of its build folder decided. What is built for the race
// goes below `builds`.
struct GivenArm {
  RaceArm arm;
  std::vector<std::string> notes;
};
Result<GivenArm> find_arm(const CompareArm& arm, const Where& all, const Path& builds,
                          const Watch& watch = {});

// One arm for each EP that can run a model here, and each kind of device it has. The CPU comes
// first. The simulated EP is none of them.
Result<std::vector<CompareArm>> arms_of_all_eps(const std::string& model, const Host& host);

}  // namespace hone
