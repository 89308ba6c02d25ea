#pragma once
// Sweeps as tests need them. All of it is made up: no figure here was measured.

#include <string>

#include "record/sweep.h"

namespace hone {

inline SweepCell cell_for_test(std::string model, std::string label) {
  SweepCell cell;
  cell.version = "0.0.0-20260609-" + label + "-" + model;
  cell.key = std::string(64, 'a');
  cell.model = std::move(model);
  cell.task = "text-classification";
  cell.ep = label.substr(0, label.find('-'));
  cell.device = "npu";
  cell.label = std::move(label);
  cell.precision = "w8a8";
  cell.attempts = 1;
  return cell;
}

inline SweepCell done_cell_for_test(std::string model, std::string label) {
  SweepCell cell = cell_for_test(std::move(model), std::move(label));
  cell.status = CellStatus::done;
  cell.files = {{"model.onnx", std::string(64, 'b'), 2'000'000},
                {"champion/model.onnx", std::string(64, 'c'), 900'000}};
  cell.bytes = 2'900'000;
  cell.seconds = 12.34;
  cell.latency_ms = 3.25;
  cell.accuracy = "pass";
  cell.notes = {"the target has no preference: kept in float"};
  return cell;
}

inline SweepCell failed_cell_for_test(std::string model, std::string label, FailureClass kind) {
  SweepCell cell = cell_for_test(std::move(model), std::move(label));
  cell.status = CellStatus::failed;
  cell.attempts = 3;
  cell.upload = "skipped";
  cell.failure = {.kind = kind,
                  .stage = "build",
                  .what = "the worker ended with signal 9",
                  .log_tail = "loading\nout of memory"};
  return cell;
}

// Three models on three targets: what was kept and published, each kind of failure that a filter
// tells apart, and a cell that was not reached.
inline SweepResult mixed_sweep() {
  SweepResult sweep;
  sweep.run_stamp = "20260609";
  sweep.mode = SweepMode::autoconfig;
  sweep.environment = std::string(64, 'e');
  for (const char* label : {"qnn-npu", "openvino-npu", "cpu"}) {
    SweepTarget& target = sweep.targets.emplace_back();
    target.label = label;
    target.target.ep = sweep.targets.back().label.substr(0, sweep.targets.back().label.find('-'));
  }
  SweepCell kept = done_cell_for_test("acme/bert", "qnn-npu");
  kept.upload = "uploaded";
  kept.reference = "registry.example/models:bert";
  kept.digest = "sha256:" + std::string(64, 'd');
  kept.champion = "w8a8+threads-1";
  kept.final_p = {0.03125, 0.5};
  kept.p_value = 0.03125;
  kept.q_value = 0.0625;
  SweepCell late = done_cell_for_test("acme/bert", "openvino-npu");
  late.upload = "timeout";
  late.upload_error = "no answer for 600 s";
  SweepCell known = done_cell_for_test("acme/bert", "cpu");
  known.upload = "exists-skipped";
  known.is_resumed = true;
  sweep.cells = {std::move(kept),
                 std::move(late),
                 std::move(known),
                 failed_cell_for_test("acme/resnet", "qnn-npu", FailureClass::oom),
                 done_cell_for_test("acme/resnet", "openvino-npu"),
                 done_cell_for_test("acme/resnet", "cpu"),
                 failed_cell_for_test("beta/whisper", "qnn-npu", FailureClass::timeout),
                 failed_cell_for_test("beta/whisper", "openvino-npu", FailureClass::oom),
                 cell_for_test("beta/whisper", "cpu")};
  for (const SweepCell& cell : sweep.cells) sweep.cell_bytes += cell.bytes;
  sweep.disk_bytes = sweep.cell_bytes / 4;
  sweep.seconds = 61.5;
  sweep.bytes_sent = 2'900'000;
  sweep.notes = {"the sweep was interrupted"};
  return sweep;
}

// The same with an attack in every text.
inline SweepResult hostile_sweep() {
  const std::string attack = "</script><img src=x onerror=window.attacked=1>\x1b[31m\"'&\xff";
  SweepResult sweep = mixed_sweep();
  sweep.run_stamp += attack;
  sweep.environment += attack;
  sweep.notes.push_back(attack);
  for (SweepTarget& target : sweep.targets) {
    target.label += attack;
    target.target.ep += attack;
    target.target.device += attack;
  }
  for (SweepCell& cell : sweep.cells) {
    for (std::string* text : {&cell.version, &cell.key, &cell.model, &cell.task, &cell.label,
                              &cell.ep, &cell.device, &cell.precision, &cell.upload_error})
      *text += attack;
    for (auto* text : {&cell.accuracy, &cell.champion, &cell.reference, &cell.digest})
      if (*text) **text += attack;
    for (PackageEntry& file : cell.files) file.path = file.sha256 = attack;
    for (std::string& note : cell.notes) note += attack;
    if (cell.upload == "timeout") cell.upload += attack;
    if (!cell.failure) continue;
    for (std::string* text : {&cell.failure->stage, &cell.failure->what, &cell.failure->log_tail})
      *text += attack;
  }
  return sweep;
}

// Many targets with long names: wider than any screen.
inline SweepResult wide_sweep() {
  SweepResult sweep;
  sweep.run_stamp = "wide";
  for (int i = 0; i < 16; ++i) {
    SweepTarget& target = sweep.targets.emplace_back();
    target.label = "target-number-" + std::to_string(i);
    target.target.ep = "qnn";
  }
  for (int model = 0; model < 30; ++model) {
    for (const SweepTarget& target : sweep.targets)
      sweep.cells.push_back(done_cell_for_test(
          "an-organization/a-model-with-a-rather-long-name-" + std::to_string(model),
          target.label));
  }
  return sweep;
}

}  // namespace hone
