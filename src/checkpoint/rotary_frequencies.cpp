// Of rotary.h: the frequencies that a configuration comes to. They are computed in float32, step by
// step as transformers does: at position 30,000 a rounding of its own would be a visible angle.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "checkpoint/rotary.h"

namespace hone {
namespace {

// The largest heads of published networks have 512 elements.
constexpr std::int64_t most_elements = 65'536;

struct Rope {
  const Config& top;
  const Config& said;  // rope_parameters or rope_scaling, or the whole where there is neither
  const RotaryHead& head;
};

// Positions for each radian, of each pair.
std::vector<float> unscaled_periods(double base, std::int64_t size) {
  std::vector<float> periods;
  for (std::int64_t i = 0; i < size; i += 2) {
    const float exponent = static_cast<float>(i) / static_cast<float>(size);
    periods.push_back(std::pow(static_cast<float>(base), exponent));
  }
  return periods;
}

double original_positions(const Rope& rope) {
  const std::string_view key = "original_max_position_embeddings";
  if (rope.top.has(key)) return static_cast<double>(rope.top.size(key));
  if (rope.head.is_phi) return 4096;
  return static_cast<double>(rope.said.size(key, rope.head.positions));
}

// Where `factor` is null it is how much further than before positions go.
double factor_or_ratio(const Rope& rope, double original) {
  if (rope.said.has("factor")) return rope.said.real("factor");
  return static_cast<double>(rope.head.positions) / original;
}

void scale_linear(const Rope& rope, RotaryFrequencies& made) {
  const float factor = static_cast<float>(rope.said.real("factor"));
  for (float& frequency : made.usual) frequency /= factor;
}

void scale_dynamic(const Rope& rope, RotaryFrequencies& made) {
  made.growth = rope.said.real("factor");
  made.limit = rope.head.positions;
  if (made.size <= 2) rope.said.refuse("rope_type", "of heads of two elements it has no meaning");
  if (made.growth <= 0) rope.said.refuse("factor", "it has to be above 0");
}

double log_scale(double factor, double times = 1) {
  return factor <= 1 ? 1.0 : 0.1 * times * std::log(factor) + 1.0;
}

double yarn_attention_scale(const Rope& rope, double factor) {
  if (rope.said.has("attention_factor")) return rope.said.real("attention_factor");
  const double all = rope.said.real("mscale_all_dim", 0);
  const double some = rope.said.real("mscale", 0);
  if (all == 0 || some == 0) return log_scale(factor);
  return log_scale(factor, some) / log_scale(factor, all);
}

// How many elements turn more often than `rotations` times over the original positions.
double yarn_edge(const RotaryFrequencies& made, double rotations, double original) {
  return static_cast<double>(made.size) * std::log(original / (rotations * 2 * std::numbers::pi)) /
         (2 * std::log(made.base));
}

void scale_yarn(const Rope& rope, RotaryFrequencies& made) {
  const double original = original_positions(rope);
  const double factor = factor_or_ratio(rope, original);
  made.scale = yarn_attention_scale(rope, factor);
  const auto or_usual = [](double said, double usual) { return said == 0 ? usual : said; };
  const double fast = or_usual(rope.said.nullable().real("beta_fast", 32), 32);
  const double slow = or_usual(rope.said.nullable().real("beta_slow", 1), 1);
  double low = yarn_edge(made, fast, original);
  double high = yarn_edge(made, slow, original);
  if (rope.said.flag("truncate", true)) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(made.size - 1));
  if (low == high) high += 0.001;
  const std::vector<float> periods = unscaled_periods(made.base, made.size);
  for (std::size_t i = 0; i < periods.size(); ++i) {
    const float ramp =
        (static_cast<float>(i) - static_cast<float>(low)) / static_cast<float>(high - low);
    const float kept = 1.0F - std::clamp(ramp, 0.0F, 1.0F);
    const float stretched = 1.0F / (static_cast<float>(factor) * periods[i]);
    made.usual[i] = stretched * (1.0F - kept) + made.usual[i] * kept;
  }
}

std::vector<float> stretched_by(const Rope& rope, std::string_view key,
                                std::vector<float> periods) {
  if (!rope.said.has(key)) rope.said.refuse(key, "it has to be a list of numbers");
  const std::vector<double> factors = rope.said.reals(key, {});
  if (factors.size() != periods.size()) {
    rope.said.refuse(key, "it has to have " + std::to_string(periods.size()) + " numbers");
    return periods;
  }
  for (std::size_t i = 0; i < factors.size(); ++i) {
    periods[i] = 1.0F / (static_cast<float>(factors[i]) * periods[i]);
  }
  return periods;
}

void scale_longrope(const Rope& rope, RotaryFrequencies& made) {
  const double original = original_positions(rope);
  const double factor = factor_or_ratio(rope, original);
  if (rope.said.has("attention_factor")) {
    made.scale = rope.said.real("attention_factor");
  } else if (factor > 1) {
    made.scale = std::sqrt(1 + std::log(factor) / std::log(original));
  }
  made.limit = static_cast<std::int64_t>(original);
  const std::vector<float> periods = unscaled_periods(made.base, made.size);
  made.beyond = stretched_by(rope, "long_factor", periods);
  made.usual = stretched_by(rope, "short_factor", periods);
}

void scale_llama3(const Rope& rope, RotaryFrequencies& made) {
  const float factor = static_cast<float>(rope.said.real("factor"));
  const double low = rope.said.real("low_freq_factor");
  const double high = rope.said.real("high_freq_factor");
  const double original = original_positions(rope);
  const float longest = static_cast<float>(original / low);
  const float shortest = static_cast<float>(original / high);
  for (float& frequency : made.usual) {
    const float wave = static_cast<float>(2 * std::numbers::pi) / frequency;
    if (wave > longest) {
      frequency /= factor;
    } else if (wave >= shortest) {
      const float smooth = (static_cast<float>(original) / wave - static_cast<float>(low)) /
                           static_cast<float>(high - low);
      frequency = (1.0F - smooth) * frequency / factor + smooth * frequency;
    }
  }
}

void leave(const Rope&, RotaryFrequencies&) {}

struct Kind {
  std::string_view name;
  void (*scale)(const Rope&, RotaryFrequencies&);
};

constexpr Kind kinds[] = {{"default", leave},           {"linear", scale_linear},
                          {"dynamic", scale_dynamic},   {"yarn", scale_yarn},
                          {"longrope", scale_longrope}, {"llama3", scale_llama3}};
constexpr Kind kinds_of_phi[] = {{"default", leave},
                                 {"longrope", scale_longrope},
                                 {"su", scale_longrope},
                                 {"yarn", scale_longrope}};

void scale_as_said(const Rope& rope, RotaryFrequencies& made) {
  const std::string_view key = rope.said.has("rope_type") ? "rope_type" : "type";
  const std::string kind = rope.said.word(key, "default");
  const std::span<const Kind> known =
      rope.head.is_phi ? std::span<const Kind>(kinds_of_phi) : std::span<const Kind>(kinds);
  std::string names;
  for (const Kind& row : known) {
    if (row.name == kind) return row.scale(rope, made);
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  rope.said.refuse(key, "known are " + names);
}

double part_of_head(const Rope& rope, bool is_nested) {
  const std::string_view key = "partial_rotary_factor";
  const double part = rope.said.has(key) ? rope.said.real(key) : rope.top.real(key, 1);
  const bool is_twice = is_nested && rope.said.has(key) && rope.top.has(key);
  if (is_twice && rope.top.real(key) != part) {
    rope.top.refuse(key, "rope_parameters says another");
  }
  if (part > 0 && part <= 1) return part;
  rope.said.refuse(key, "it has to be above 0 and at most 1");
  return 1;
}

std::int64_t turned_size(const Rope& rope, bool is_nested) {
  const std::string_view key = "partial_rotary_factor";
  const double part = part_of_head(rope, is_nested);
  const double size = static_cast<double>(rope.head.head_size) * part;
  if (size > static_cast<double>(most_elements)) {
    rope.top.refuse("head_dim", "heads of more than 65,536 elements are not turned");
    return 2;
  }
  if (part != 1 && !rope.head.is_phi) rope.said.refuse(key, "only whole heads are turned");
  const auto whole = static_cast<std::int64_t>(size);
  if (whole >= 2 && whole % 2 == 0) return whole;
  rope.top.refuse("head_dim",
                  "an even number of elements has to be turned, not " + std::to_string(whole));
  return 2;
}

bool has_members(const Config& config, std::string_view key) {
  const Json* found = config.raw(key);
  return found && (!found->as_object() || !found->as_object()->empty());
}

RotaryFrequencies read_from(const Rope& rope, bool is_nested) {
  RotaryFrequencies made{.size = turned_size(rope, is_nested)};
  made.base = rope.said.has("rope_theta") ? rope.said.real("rope_theta")
                                          : rope.top.real("rope_theta", 10'000);
  if (made.base <= 0) rope.said.refuse("rope_theta", "it has to be above 0");
  for (const float period : unscaled_periods(made.base, made.size)) {
    made.usual.push_back(1.0F / period);
  }
  if (is_nested) scale_as_said(rope, made);
  return made;
}

}  // namespace

RotaryFrequencies read_rotary(const Config& config, const RotaryHead& head) {
  for (const std::string_view key : {"rope_scaling", "rope_parameters"}) {
    if (has_members(config, key)) {
      const Config said = config.part(key);
      return read_from({config, said, head}, true);
    }
  }
  return read_from({config, config, head}, false);
}

}  // namespace hone
