#pragma once
// What the opaque handles of hone.h are.

#include <hone/hone.h>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/monitors.h"
#include "base/json.h"
#include "base/result.h"
#include "flow/session.h"
#include "record/where.h"

struct hone_error {
  hone_code code = HONE_FAILED;
  std::string kind;
  hone::Error error;
  std::string text;
};

struct hone_result {
  explicit hone_result(hone::Json whole) : document(std::move(whole)), json(document.dump()) {}

  hone::Json document;
  std::string json;
  // Values that were asked for as text, by pointer: they live as long as the result.
  mutable std::mutex mutex;
  mutable std::map<std::string, std::string, std::less<>> texts;
};

struct hone_context {
  hone::Host host;
};

struct hone_stop {
  std::atomic<bool> is_set = false;
};

struct hone_session {
  hone::api::Monitors monitors;  // before the session, which looks at them until it goes
  std::unique_ptr<hone::OpenSession> session;
  std::unique_ptr<hone_result> facts;
};

struct hone_outputs {
  std::vector<hone::TensorPtr> tensors;
  std::vector<hone_tensor> views;
};
