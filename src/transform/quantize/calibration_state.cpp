#include "transform/quantize/calibration_state.h"

namespace hone {
namespace {

constexpr std::int64_t schema = 1;

Result<CalibrationState> read_state(const Path& path) {
  HONE_TRY(const std::string text, read_file(path));
  HONE_TRY(const Json document, Json::parse(text));
  return from_document<CalibrationState>(document, schema);
}

}  // namespace

CalibrationState CalibrationFile::load(const std::string& key) const {
  CalibrationState fresh;
  fresh.key = key;
  if (path_.empty()) return fresh;
  auto state = read_state(path_);
  return state && state->key == key ? *std::move(state) : fresh;
}

Status CalibrationFile::save(const CalibrationState& state) {
  saved_ = Clock::now();
  if (path_.empty()) return done();
  return write_file(path_, to_document(state, schema).dump(-1) + "\n");
}

Status CalibrationFile::save_every(std::chrono::seconds interval, const CalibrationState& state) {
  return Clock::now() - saved_ < interval ? done() : save(state);
}

void CalibrationFile::remove() const {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

}  // namespace hone
