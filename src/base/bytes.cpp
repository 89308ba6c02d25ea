#include "base/bytes.h"

namespace hone {
namespace {

class OwnedBytes final : public Backing {
 public:
  explicit OwnedBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string_view bytes() const override { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace

Blob Blob::own(std::string bytes) {
  auto backing = std::make_shared<OwnedBytes>(std::move(bytes));
  const std::string_view view = backing->bytes();
  return {view, std::move(backing)};
}

}  // namespace hone
