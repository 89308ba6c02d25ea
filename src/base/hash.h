#pragma once
// SHA-256, the identity of everything in hone (artifacts, recipes, graphs).

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace hone {

struct Digest {
  std::array<unsigned char, 32> bytes{};
  auto operator<=>(const Digest&) const = default;
  std::string hex() const;
  // As a page's Content-Security-Policy names a script.
  std::string base64() const;
  std::string_view view() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  Sha256& add(std::string_view bytes);
  // A field with its length before it, so that ("ab","c") and ("a","bc") differ.
  Sha256& add_field(std::string_view bytes);
  // Eight bytes, the lowest first, on every machine.
  Sha256& add_number(std::uint64_t number);
  // The digest of all that was added; what is added afterwards starts a new one.
  Digest finish();

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
};

Digest sha256(std::string_view bytes);

}  // namespace hone
