#pragma once
// Result<T>: a value or an Error. The names are those of std::expected, which g++ 12 does not have
// in C++20 mode, so that both can become aliases later and no caller changes.

#include <string>
#include <utility>
#include <variant>

namespace hone {

// What kind of thing went wrong; few values, because each one is an answer to "whose fault is it".
enum class Fault {
  bad_input,
  not_found,
  unsupported,
  runtime,
  io,
  timeout,
  not_held,  // all went well, and what was checked does not hold
};

// What exactly it was, told by the place where it arose, for who sorts failures: nobody reads that
// out of our own sentences.
enum class Trouble {
  other,
  no_memory,
  disk_full,
  crashed,    // a process of ours was ended by a signal
  absent,     // this machine does not have it: ONNX Runtime, an EP, a device
  misplaced,  // it runs, but not where it has to
  no_kernel,  // an operator that the EP cannot compute
};

struct Error {
  Fault fault = Fault::runtime;
  std::string what{};   // what we could not do, and to which thing
  std::string cause{};  // what the layer below said, word for word
  std::string hint{};   // what to try
  Trouble trouble = Trouble::other;
};

struct Failure {
  Error error;
};

inline Failure fail(Error error) { return {std::move(error)}; }
inline Failure fail(Fault fault, std::string what, std::string cause = {}, std::string hint = {}) {
  return {{fault, std::move(what), std::move(cause), std::move(hint)}};
}
inline Failure fail(Fault fault, Trouble trouble, std::string what, std::string cause = {},
                    std::string hint = {}) {
  return {{fault, std::move(what), std::move(cause), std::move(hint), trouble}};
}

[[noreturn]] void abort_on_broken_invariant(const char* claim, const char* file, int line);

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : held_(std::in_place_index<1>, std::move(failure.error)) {}

  bool has_value() const { return held_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // REQUIRES: has_value(). A Result nobody checked is a programmer error, so this aborts.
  T& value() & { return check(), *std::get_if<0>(&held_); }
  const T& value() const& { return check(), *std::get_if<0>(&held_); }
  T&& value() && { return check(), std::move(*std::get_if<0>(&held_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !has_value().
  const Error& error() const& { return *std::get_if<1>(&held_); }
  Error&& error() && { return std::move(*std::get_if<1>(&held_)); }

  T value_or(T other) && { return has_value() ? std::move(*this).value() : std::move(other); }

 private:
  void check() const {
    if (!has_value()) abort_on_broken_invariant(error().what.c_str(), __FILE__, __LINE__);
  }
  std::variant<T, Error> held_;
};

// Success without a value.
struct Done {};
using Status = Result<Done>;
inline Status done() { return Done{}; }

}  // namespace hone

#define HONE_JOIN_(a, b) a##b
#define HONE_JOIN(a, b) HONE_JOIN_(a, b)
#define HONE_TRY_(held, target, expression)                \
  auto held = (expression);                                \
  if (!held) return ::hone::fail(std::move(held).error()); \
  target = std::move(held).value()

// HONE_TRY(Model model, load(path)): binds the value, or hands the Error to our caller.
#define HONE_TRY(target, ...) HONE_TRY_(HONE_JOIN(hone_held_, __LINE__), target, (__VA_ARGS__))

// HONE_TRY_DO(save(model)): the same for a Status, or where the value is not wanted.
#define HONE_TRY_DO(...) \
  if (auto hone_held = (__VA_ARGS__); !hone_held) return ::hone::fail(std::move(hone_held).error())

// A programmer error, never reachable from user input: prints and aborts.
#define HONE_CHECK(claim) \
  ((claim) ? (void)0 : ::hone::abort_on_broken_invariant(#claim, __FILE__, __LINE__))
