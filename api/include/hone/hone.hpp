#ifndef HONE_HONE_HPP
#define HONE_HONE_HPP
// The C++ face of libhone: handles that free themselves, errors that are thrown. Header only: all
// it needs is hone.h and the standard library (C++17). docs/api.md teaches it.
//
// What a call throws is a hone::Error. A result that comes with an error (HONE_NOT_HELD, what a
// stopped search knows) is in it. What a callback throws stops the call and is thrown by it.

#include <hone/hone.h>
#include <hone/monitor.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hone {

template <class T, void (*free)(T*)>
struct Freer {
  void operator()(T* handle) const { free(handle); }
};
template <class T, void (*free)(T*)>
using Handle = std::unique_ptr<T, Freer<T, free>>;

// Text as a JSON string, quotes included, for options: R"({"input_data": )" + quoted(path) + "}".
inline std::string quoted(const std::string& text) {
  constexpr auto digits = "0123456789abcdef";
  std::string json = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (code < 0x20) {
      json += "\\u00";
      json += digits[code / 16];
      json += digits[code % 16];
      continue;
    }
    if (letter == '"' || letter == '\\') json += '\\';
    json += letter;
  }
  return json + '"';
}

// A document, and the values in it by JSON pointer: "/latency_ms/p50".
class Result {
 public:
  Result() = default;
  explicit Result(hone_result* owned) : owned_(owned, hone_result_free) {}
  // One that belongs to somebody else, who outlives it.
  static Result borrow(const hone_result* result) {
    Result borrowed;
    borrowed.owned_ = {std::shared_ptr<void>(), result};
    return borrowed;
  }

  explicit operator bool() const { return owned_ != nullptr; }
  std::string json() const { return text_or_empty(hone_result_json(owned_.get())); }
  // Empty where there is no such value.
  std::string text(const std::string& pointer) const {
    return text_or_empty(hone_result_text(owned_.get(), pointer.c_str()));
  }
  bool has(const std::string& pointer) const {
    return hone_result_text(owned_.get(), pointer.c_str()) != nullptr;
  }
  // NaN where it is no number.
  double number(const std::string& pointer) const {
    return hone_result_number(owned_.get(), pointer.c_str());
  }
  std::size_t count(const std::string& pointer) const {
    return hone_result_count(owned_.get(), pointer.c_str());
  }

 private:
  static std::string text_or_empty(const char* text) { return text != nullptr ? text : ""; }
  std::shared_ptr<const hone_result> owned_;
};

// what() is the whole text, as the program prints it.
class Error : public std::runtime_error {
 public:
  Error(hone_code code, const hone_error* error, Result result = {})
      : std::runtime_error(error != nullptr ? hone_error_text(error) : "there is no memory"),
        code_(code),
        kind_(hone_error_kind(error)),
        summary_(hone_error_what(error)),
        cause_(hone_error_cause(error)),
        hint_(hone_error_hint(error)),
        result_(std::move(result)) {}

  hone_code code() const { return code_; }
  const std::string& kind() const { return kind_; }
  const std::string& summary() const { return summary_; }
  const std::string& cause() const { return cause_; }
  const std::string& hint() const { return hint_; }
  // What is known all the same; false where nothing is.
  const Result& result() const { return result_; }

 private:
  hone_code code_;
  std::string kind_;
  std::string summary_;
  std::string cause_;
  std::string hint_;
  Result result_;
};

// Ends calls early, from any thread.
class Stop {
 public:
  Stop() : owned_(hone_stop_new()) {}
  void now() { hone_stop_now(owned_.get()); }
  hone_stop* get() const { return owned_.get(); }

 private:
  Handle<hone_stop, hone_stop_free> owned_;
};

// Told how far a call is; false stops it.
using Progress =
    std::function<bool(const std::string& doing, std::uint64_t done, std::uint64_t total)>;

struct Watch {
  Progress progress{};
  Stop* stop = nullptr;
};

namespace detail {

inline const char* optional_text(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}

// Callbacks as C sees them. What one throws is kept, and thrown again when the call is over.
class Callbacks {
 public:
  explicit Callbacks(const Watch& watch) : watch_(watch) {
    given_.user = this;
    if (watch.progress) given_.tell = tell;
    if (watch.stop != nullptr) given_.stop = watch.stop->get();
  }
  const hone_watch* get() const { return &given_; }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  static int tell(void* self, const char* doing, std::uint64_t done, std::uint64_t total) {
    auto& callbacks = *static_cast<Callbacks*>(self);
    try {
      return callbacks.watch_.progress(doing, done, total) ? 0 : 1;
    } catch (...) {
      callbacks.thrown_ = std::current_exception();
      return 1;
    }
  }
  const Watch& watch_;
  hone_watch given_ = HONE_WATCH_INIT;
  std::exception_ptr thrown_;
};

// A call of hone.h that gives a handle.
template <class Made, class Function, class... Arguments>
Made* make(Function function, Arguments... arguments) {
  Made* made = nullptr;
  hone_error* error = nullptr;
  const hone_code code = function(arguments..., &made, &error);
  const Handle<hone_error, hone_error_free> owned(error);
  return code == HONE_DONE ? made : throw Error(code, error);
}

// A call of hone.h that gives a result; its last two arguments are added here.
template <class Function, class... Arguments>
Result call(Function function, Arguments... arguments) {
  hone_result* made = nullptr;
  hone_error* error = nullptr;
  const hone_code code = function(arguments..., &made, &error);
  Result result = made != nullptr ? Result(made) : Result();
  const Handle<hone_error, hone_error_free> owned(error);
  if (code != HONE_DONE) throw Error(code, error, std::move(result));
  return result;
}

// The same with a watch before them.
template <class Function, class... Arguments>
Result watched_call(const Watch& watch, Function function, Arguments... arguments) {
  const Callbacks callbacks(watch);
  try {
    return call(function, arguments..., callbacks.get());
  } catch (const Error&) {
    callbacks.rethrow();
    throw;
  }
}

}  // namespace detail

class Context {
 public:
  explicit Context(const std::string& options = {})
      : owned_(detail::make<hone_context>(hone_context_new, HONE_API_VERSION,
                                          detail::optional_text(options)),
               hone_context_free) {}
  const hone_context* get() const { return owned_.get(); }

  // {"arms": [{"model": ...}, ...]}; the first is the baseline.
  Result compare(const std::string& options, const Watch& watch = {}) const {
    return detail::watched_call(watch, hone_compare, get(), options.c_str());
  }
  Result debug(const std::string& float_model, const std::string& quantized_model,
               const std::string& options = {}, const Watch& watch = {}) const {
    return detail::watched_call(watch, hone_debug, get(), float_model.c_str(),
                                quantized_model.c_str(), detail::optional_text(options));
  }

 private:
  std::shared_ptr<const hone_context> owned_;
};

// Numbers of one type. Name, shape and data are not copied: they have to outlive the run.
inline hone_tensor tensor(const std::string& name, std::int32_t type,
                          const std::vector<std::int64_t>& shape, const void* data,
                          std::size_t bytes) {
  return {sizeof(hone_tensor), name.c_str(), type, shape.data(), shape.size(), data, bytes};
}
inline hone_tensor tensor(const std::string& name, const std::vector<std::int64_t>& shape,
                          const std::vector<float>& data) {
  return tensor(name, 1, shape, data.data(), data.size() * sizeof(float));
}

class Outputs {
 public:
  explicit Outputs(hone_outputs* owned) : owned_(owned) {}
  std::size_t size() const { return hone_outputs_count(owned_.get()); }
  // Throws std::out_of_range, as a vector does.
  const hone_tensor& at(std::size_t index) const {
    const hone_tensor* found = hone_outputs_at(owned_.get(), index);
    return found != nullptr ? *found : throw std::out_of_range("the model has no such output");
  }

 private:
  Handle<hone_outputs, hone_outputs_free> owned_;
};

class Session {
 public:
  Session(const Context& context, const std::string& model, const std::string& options = {},
          const std::vector<Monitor*>& monitors = {})
      : callbacks_(std::make_unique<detail::MonitorCallbacks>(monitors)) {
    try {
      owned_.reset(detail::make<hone_session>(hone_session_open, context.get(), model.c_str(),
                                              detail::optional_text(options), callbacks_->get(),
                                              callbacks_->size()));
    } catch (const Error&) {
      callbacks_->rethrow();
      throw;
    }
  }

  // Inputs, outputs, placement; as long as the session lives.
  Result facts() const { return Result::borrow(hone_session_facts(owned_.get())); }
  Outputs run(const std::vector<hone_tensor>& inputs) {
    return Outputs(
        detail::make<hone_outputs>(hone_session_run, owned_.get(), inputs.data(), inputs.size()));
  }
  // Destroys it: how often it ran, and what the monitors say.
  Result close() { return detail::call(hone_session_close, owned_.release()); }

 private:
  static void end(hone_session* session) { hone_session_close(session, nullptr, nullptr); }
  std::unique_ptr<detail::MonitorCallbacks> callbacks_;  // the session looks at them until it ends
  Handle<hone_session, end> owned_;
};

// A model that was looked at, and what can be done to it.
class Model {
 public:
  Model(Context context, std::string path, const std::string& options = {})
      : context_(std::move(context)), path_(std::move(path)) {
    facts_ =
        detail::call(hone_inspect, context_.get(), path_.c_str(), detail::optional_text(options));
  }

  const std::string& path() const { return path_; }
  // Inputs, outputs, operators, weights, precision, identity.
  const Result& facts() const { return facts_; }

  Result optimize(const std::string& output, const std::string& options = {},
                  const Watch& watch = {}) const {
    return detail::watched_call(watch, hone_optimize, context_.get(), path_.c_str(), output.c_str(),
                                detail::optional_text(options));
  }
  Result quantize(const std::string& output, const std::string& options = {},
                  const Watch& watch = {}) const {
    return detail::watched_call(watch, hone_quantize, context_.get(), path_.c_str(), output.c_str(),
                                detail::optional_text(options));
  }
  // An empty recipe: as `hone config` would choose for the target of the options.
  Result build(const std::string& folder, const std::string& recipe = {},
               const std::string& options = {}, const Watch& watch = {}) const {
    return detail::watched_call(watch, hone_build, context_.get(), path_.c_str(), folder.c_str(),
                                detail::optional_text(recipe), detail::optional_text(options));
  }
  Result search(const std::string& folder, const std::string& options = {},
                const Watch& watch = {}) const {
    return detail::watched_call(watch, hone_search, context_.get(), path_.c_str(), folder.c_str(),
                                detail::optional_text(options));
  }
  Result perf(const std::string& options = {}, const std::vector<Monitor*>& monitors = {},
              const Watch& watch = {}) const {
    const detail::MonitorCallbacks callbacks(monitors);
    try {
      return detail::watched_call(watch, hone_perf, context_.get(), path_.c_str(),
                                  detail::optional_text(options), callbacks.get(),
                                  callbacks.size());
    } catch (const Error&) {
      callbacks.rethrow();
      throw;
    }
  }
  Session open(const std::string& options = {}, const std::vector<Monitor*>& monitors = {}) const {
    return Session(context_, path_, options, monitors);
  }

 private:
  Context context_;
  std::string path_;
  Result facts_;
};

}  // namespace hone
#endif
