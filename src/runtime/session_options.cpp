#include "runtime/session_options.h"

#include <array>
#include <charconv>

#include "base/misuse.h"
#include "base/text.h"

namespace hone {
namespace {

// Keys that ONNX Runtime 1.30 reads from the configuration of a session.
constexpr std::string_view config_keys[] = {
    "optimization.disable_specified_optimizers",
    "optimization.enable_gelu_approximation",
    "optimization.enable_cast_chain_elimination",
    "optimization.constant_folding_max_output_size_in_bytes",
    "optimization.minimal_build_optimizations",
    "session.graph_optimizations_loop_level",
    "session.disable_aot_function_inlining",
    "session.debug_layout_transformation",
    "session.save_model_format",
    "session.load_model_format",
    "session.use_ort_model_bytes_directly",
    "session.use_ort_model_bytes_for_initializers",
    "session.optimized_model_external_initializers_file_name",
    "session.optimized_model_external_initializers_min_size_in_bytes",
    "session.save_external_prepacked_constant_initializers",
    "session.disable_quant_qdq",
    "session.disable_qdq_constant_folding",
    "session.disable_double_qdq_remover",
    "session.enable_quant_qdq_cleanup",
    "session.qdqisint8allowed",
    "session.x64quantprecision",
    "session.qdq_matmulnbits_accuracy_level",
    "session.qdq_matmulnbits_block_size",
    "session.enable_dq_matmulnbits_fusion",
    "session.disable_cpu_ep_fallback",
    "session.record_ep_graph_assignment_info",
    "session.disable_model_compile",
    "session.fail_on_suboptimal_compiled_model",
    "ep.context_enable",
    "ep.context_file_path",
    "ep.context_embed_mode",
    "ep.context_node_name_prefix",
    "ep.share_ep_contexts",
    "ep.stop_share_ep_contexts",
    "ep.enable_weightless",
    "ep.context_source_model_path",
    "ep.context_model_external_initializers_file_name",
    "session.layer_assignment_settings",
    "session.name_based_layer_assignment",
    "session.resource_cuda_partitioning_settings",
    "session.max_shape_override",
    "session.node_partition_config_file",
    "session.intra_op.allow_spinning",
    "session.inter_op.allow_spinning",
    "session.intra_op.spin_duration_us",
    "session.intra_op.spin_backoff_max",
    "session.force_spinning_stop",
    "session.intra_op_thread_affinities",
    "session.dynamic_block_base",
    "session.use_env_allocators",
    "session.use_device_allocator_for_initializers",
    "session.disable_prepacking",
    "session.set_denormal_as_zero",
    "session.use_deterministic_compute",
    "session.strict_shape_type_inference",
    "session.allow_released_opsets_only",
    "session.collect_node_memory_stats_to_file",
    "mlas.enable_gemm_fastmath_arm64_bfloat16",
    "mlas.use_lut_gemm",
    "mlas.disable_kleidiai",
    "mlas.nchwc_pointwise_conv_max_input_channel_batch"};

using Apply = ort::OrtStatus* (*)(const ort::Api&, ort::OrtSessionOptions*, int value);

// Settings that have a function of their own, under the short names people use, with the words they
// take.
struct Setting {
  std::string_view key;
  std::vector<std::pair<std::string_view, int>> words;  // empty: a whole number
  Apply apply;
};

const std::vector<Setting>& settings() {
  static const std::vector<std::pair<std::string_view, int>> on_off = {
      {"0", 0}, {"1", 1}, {"off", 0}, {"on", 1}};
  static const std::vector<Setting> table = {
      {"graph_optimization_level",
       {{"disable", ort::optimize_none},
        {"basic", ort::optimize_basic},
        {"extended", ort::optimize_extended},
        {"layout", ort::optimize_layout},
        {"all", ort::optimize_all}},
       [](const ort::Api& api, auto* options, int value) {
         return api.SetSessionGraphOptimizationLevel(options, value);
       }},
      {"execution_mode",
       {{"sequential", 0}, {"parallel", 1}},
       [](const ort::Api& api, auto* options, int value) {
         return api.SetSessionExecutionMode(options, value);
       }},
      {"intra_op_num_threads",
       {},
       [](const ort::Api& api, auto* options, int value) {
         return api.SetIntraOpNumThreads(options, value);
       }},
      {"inter_op_num_threads",
       {},
       [](const ort::Api& api, auto* options, int value) {
         return api.SetInterOpNumThreads(options, value);
       }},
      {"log_severity_level",
       {},
       [](const ort::Api& api, auto* options, int value) {
         return api.SetSessionLogSeverityLevel(options, value);
       }},
      {"enable_cpu_mem_arena", on_off,
       [](const ort::Api& api, auto* options, int value) {
         return value != 0 ? api.EnableCpuMemArena(options) : api.DisableCpuMemArena(options);
       }},
      {"enable_mem_pattern", on_off,
       [](const ort::Api& api, auto* options, int value) {
         return value != 0 ? nullptr : api.DisableMemPattern(options);
       }},
  };
  return table;
}

const Setting* find_setting(std::string_view key) {
  for (const Setting& setting : settings()) {
    if (setting.key == key) return &setting;
  }
  return nullptr;
}

bool is_config_key(std::string_view key) {
  for (const std::string_view known : config_keys) {
    if (known == key) return true;
  }
  return false;
}

std::optional<int> read_value(const Setting& setting, std::string_view text) {
  for (const auto& [word, value] : setting.words) {
    if (word == text) return value;
  }
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = problem == std::errc() && end == text.data() + text.size() && number >= 0;
  return setting.words.empty() && is_number ? std::optional(number) : std::nullopt;
}

SessionOption describe(const Setting& setting) {
  SessionOption option{std::string(setting.key), OptionKind::number, {}};
  if (!setting.words.empty()) option.kind = OptionKind::word;
  for (const auto& [word, ignored] : setting.words) option.values.emplace_back(word);
  return option;
}

Failure unknown_key(const std::string& key) {
  std::vector<std::string> known;
  for (SessionOption& option : known_session_options()) known.push_back(std::move(option.key));
  const std::string near = nearest(key, known);
  return fail(
      Fault::bad_input, "there is no session option '" + key + "'",
      "ONNX Runtime would ignore it without a word",
      near.empty() ? "`hone sys --session-options` lists them" : "did you mean '" + near + "'?");
}

Failure bad_value(const Setting& setting, const std::string& value) {
  const SessionOption option = describe(setting);
  return misuse("the session option '" + option.key + "' cannot be '" + value + "'",
                option.kind == OptionKind::number
                    ? "it takes a whole number"
                    : "it takes one of: " + join(option.values, ", "));
}

}  // namespace

std::vector<SessionOption> known_session_options() {
  std::vector<SessionOption> options;
  for (const Setting& setting : settings()) options.push_back(describe(setting));
  for (const std::string_view key : config_keys)
    options.push_back({std::string(key), OptionKind::text, {}});
  return options;
}

Status check_session_options(const OptionMap& options) {
  for (const auto& [key, value] : options) {
    if (const Setting* setting = find_setting(key)) {
      if (!read_value(*setting, value)) return bad_value(*setting, value);
    } else if (!is_config_key(key)) {
      return unknown_key(key);
    }
  }
  return done();
}

Status apply_session_options(const Runtime& runtime, ort::OrtSessionOptions* target,
                             const OptionMap& options) {
  const ort::Api& api = runtime.api();
  for (const auto& [key, value] : options) {
    const Setting* setting = find_setting(key);
    ort::OrtStatus* status = setting
                                 ? setting->apply(api, target, *read_value(*setting, value))
                                 : api.AddSessionConfigEntry(target, key.c_str(), value.c_str());
    HONE_TRY_DO(
        runtime.check(status, "cannot set the session option '" + key + "' to '" + value + "'"));
  }
  return done();
}

Result<OptionMap> parse_options(const std::vector<std::string>& words, std::string_view flag) {
  OptionMap options;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return misuse("'" + word + "' is not KEY=VALUE",
                    "write it as " + std::string(flag) + " key=value");
    }
    if (!options.emplace(word.substr(0, equals), word.substr(equals + 1)).second) {
      return fail(Fault::bad_input, "'" + word.substr(0, equals) + "' is given twice");
    }
  }
  return options;
}

}  // namespace hone
