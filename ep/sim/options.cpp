#include "ep/sim/options.h"

#include <charconv>
#include <type_traits>
#include <vector>

#include "base/text.h"

namespace hone::ep::sim {
namespace {

// The options as they come, each absent until it is given.
struct Given {
  std::optional<std::string> profile;
  std::optional<std::string> allow;
  std::optional<std::string> deny;
  std::optional<std::int64_t> threads;
  std::optional<double> latency_us;
  std::optional<double> effect;
  std::optional<double> session_jitter;
  std::optional<std::uint64_t> seed;
  std::optional<ProfilingLevel> profiling_level;
  std::optional<std::string> profiling_file_path;
  std::optional<std::string> report;
  std::optional<std::string> crash;
  std::optional<std::string> hang;
  std::optional<bool> stdout_noise;
};

void for_each_option(Given& given, auto&& option) {
  option("profile", given.profile);
  option("allow", given.allow);
  option("deny", given.deny);
  option("threads", given.threads);
  option("latency_us", given.latency_us);
  option("effect", given.effect);
  option("session_jitter", given.session_jitter);
  option("seed", given.seed);
  option("profiling_level", given.profiling_level);
  option("profiling_file_path", given.profiling_file_path);
  option("report", given.report);
  option("crash", given.crash);
  option("hang", given.hang);
  option("stdout_noise", given.stdout_noise);
}

template <class T>
bool parse(const std::string& text, T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    value = text;
    return true;
  } else if constexpr (std::is_same_v<T, bool>) {
    value = text == "1";
    return text == "0" || text == "1";
  } else if constexpr (NamedEnum<T>) {
    const auto named = value_named<T>(text);
    if (named) value = *named;
    return named.has_value();
  } else {
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    return parsed.ec == std::errc() && parsed.ptr == end;
  }
}

template <class T>
std::string wanted() {
  if constexpr (std::is_same_v<T, bool>) return "0 or 1";
  if constexpr (std::is_same_v<T, double>) return "a number";
  if constexpr (std::is_integral_v<T>) return "a whole number";
  if constexpr (NamedEnum<T>) {
    std::vector<std::string> names;
    for (const auto& entry : enum_names(T{})) names.emplace_back(entry.name);
    return "one of " + join(names, ", ");
  }
  return "text";
}

Status take(Given& given, const std::string& key, const std::string& value) {
  Status status = done();
  bool is_known = false;
  std::vector<std::string> known;
  for_each_option(given, [&](const char* name, auto& option) {
    known.emplace_back(name);
    if (key != name) return;
    is_known = true;
    using Kind = typename std::remove_reference_t<decltype(option)>::value_type;
    if (!parse(value, option.emplace())) {
      status =
          fail(Fault::bad_input, "HoneSim: " + key + "=" + value + " is not " + wanted<Kind>());
    }
  });
  if (is_known) return status;
  const std::string near = nearest(key, known);
  return fail(Fault::bad_input, "HoneSim has no option '" + key + "'", {},
              near.empty() ? "it knows: " + join(known, ", ") : "did you mean '" + near + "'?");
}

Rule rule_for(const std::string& ops, std::optional<std::string> reason) {
  Rule rule;
  rule.ops = split(ops, ',');
  std::erase(rule.ops, "");
  rule.reason = std::move(reason);
  return rule;
}

template <class T>
void override_with(const std::optional<T>& given, auto& value) {
  if (given) value = *given;
}

Result<Profile> effective_profile(const Given& given) {
  Profile profile;
  std::string where = "HoneSim";
  if (given.profile) {
    HONE_TRY(profile, load_profile(*given.profile));
    where += " with '" + *given.profile + "'";
  }
  if (given.allow) profile.allow = std::vector{rule_for(*given.allow, std::nullopt)};
  if (given.deny) profile.deny.push_back(rule_for(*given.deny, "denied by the option 'deny'"));
  override_with(given.threads, profile.threads);
  override_with(given.latency_us, profile.latency_us);
  override_with(given.effect, profile.effect);
  override_with(given.session_jitter, profile.session_jitter);
  HONE_TRY_DO(check_profile(profile, where));
  return profile;
}

}  // namespace

Result<Options> read_options(const KeyValues& entries) {
  Given given;
  for (const auto& [key, value] : entries) HONE_TRY_DO(take(given, key, value));
  Options options;
  HONE_TRY(options.profile, effective_profile(given));
  options.seed = given.seed;
  override_with(given.profiling_level, options.profiling_level);
  override_with(given.profiling_file_path, options.profiling_file);
  override_with(given.report, options.report);
  override_with(given.stdout_noise, options.faults.prints_on_stdout);
  if (given.crash) {
    HONE_TRY(options.faults.crash, parse_moment("crash", *given.crash));
  }
  if (given.hang) {
    HONE_TRY(options.faults.hang, parse_moment("hang", *given.hang));
  }
  if (options.profiling_level != ProfilingLevel::off && options.profiling_file.empty()) {
    return fail(Fault::bad_input, "HoneSim: profiling_level needs profiling_file_path as well");
  }
  return options;
}

}  // namespace hone::ep::sim
