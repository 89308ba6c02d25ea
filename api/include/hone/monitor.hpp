#ifndef HONE_MONITOR_HPP
#define HONE_MONITOR_HPP
// Monitors of your own, for hone.hpp.

#include <hone/hone.h>

#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace hone {

// Watches a session. Derive from it; what it throws ends the call (`before`) or stops being said.
class Monitor {
 public:
  explicit Monitor(std::string name) : name_(std::move(name)) {}
  virtual ~Monitor() = default;
  const std::string& name() const { return name_; }

  class Request {
   public:
    explicit Request(hone_monitor_request* request) : request_(request) {}
    void session_option(const std::string& key, const std::string& value) {
      hone_monitor_session_option(request_, key.c_str(), value.c_str());
    }
    void provider_option(const std::string& key, const std::string& value) {
      hone_monitor_provider_option(request_, key.c_str(), value.c_str());
    }

   private:
    hone_monitor_request* request_;
  };

  virtual void before(Request& /*request*/) {}
  virtual void after() {}
  // JSON, for "/monitors/NAME" of the result.
  virtual std::string parse(const hone_window& window) = 0;

 private:
  std::string name_;
};

namespace detail {

// Monitors as C sees them. What a `before` throws is kept, and thrown again when the call is over.
class MonitorCallbacks {
 public:
  explicit MonitorCallbacks(const std::vector<Monitor*>& monitors) {
    entries_.reserve(monitors.size());
    for (Monitor* monitor : monitors) {
      Entry& entry = entries_.emplace_back(Entry{monitor, {}, nullptr});
      hone_monitor given = HONE_MONITOR_INIT;
      given.name = monitor->name().c_str();
      given.user = &entry;
      given.before = before;
      given.after = after;
      given.parse = parse;
      given_.push_back(given);
    }
  }
  const hone_monitor* get() const { return given_.data(); }
  std::size_t size() const { return given_.size(); }
  void rethrow() const {
    for (const Entry& entry : entries_)
      if (entry.thrown) std::rethrow_exception(entry.thrown);
  }

 private:
  struct Entry {
    Monitor* monitor;
    std::string said;
    std::exception_ptr thrown;
  };
  static int before(void* self, hone_monitor_request* request) {
    auto& entry = *static_cast<Entry*>(self);
    try {
      Monitor::Request wrapped(request);
      return entry.monitor->before(wrapped), 0;
    } catch (...) {
      entry.thrown = std::current_exception();
      return 1;
    }
  }
  static int after(void* self) {
    auto& entry = *static_cast<Entry*>(self);
    try {
      return entry.monitor->after(), 0;
    } catch (...) {
      return 1;
    }
  }
  static const char* parse(void* self, const hone_window* window) {
    auto& entry = *static_cast<Entry*>(self);
    try {
      entry.said = entry.monitor->parse(*window);
      return entry.said.c_str();
    } catch (...) {
      return nullptr;
    }
  }
  std::vector<Entry> entries_;  // never grows after construction: C holds pointers into it
  std::vector<hone_monitor> given_;
};

}  // namespace detail
}  // namespace hone
#endif
