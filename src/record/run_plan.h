#pragma once
// Everything that decides what a session is and what it runs on. The same plan opens the session in
// this process or in a worker, and repeats a result.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/io_binding.h"
#include "record/target.h"

namespace hone {

struct RunPlan {
  std::string model;
  Target target;
  std::vector<std::string> ort;                     // ONNX Runtime libraries to try, in order
  std::map<std::string, std::string> ep_libraries;  // name -> plugin library
  std::int64_t threads = 0;
  std::map<std::string, std::string> session_options;
  std::string input_data;    // .npz or folder; empty: seeded samples
  std::string shape_config;  // closes open dimensions of seeded samples
  std::int64_t batch_size = 0;
  std::int64_t samples = 4;  // how many seeded samples rotate
  std::uint64_t seed = 0;
  IoBinding io_binding = IoBinding::automatic;
  std::int64_t streams = 1;  // sessions of one process that run at once
  std::string profile_prefix;
  // Not empty: the CUPTI library a worker records the GPU with, and the file it leaves that in when
  // it closes the session.
  std::string cupti;
  std::string gpu_activity;
};

template <RecordOf<RunPlan> Self>
void for_each_field(Self& plan, auto&& field) {
  field("model", plan.model, Presence::required);
  field("target", plan.target);
  field("ort", plan.ort);
  field("ep_libraries", plan.ep_libraries);
  field("threads", plan.threads);
  field("session_options", plan.session_options);
  field("input_data", plan.input_data);
  field("shape_config", plan.shape_config);
  field("batch_size", plan.batch_size);
  field("samples", plan.samples);
  field("seed", plan.seed);
  field("io_binding", plan.io_binding);
  field("streams", plan.streams);
  field("profile_prefix", plan.profile_prefix);
  field("cupti", plan.cupti);
  field("gpu_activity", plan.gpu_activity);
}

}  // namespace hone
