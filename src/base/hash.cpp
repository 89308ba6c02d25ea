#include "base/hash.h"

#include <openssl/evp.h>

#include "base/result.h"

namespace hone {
namespace {

EVP_MD_CTX* evp(void* context) { return static_cast<EVP_MD_CTX*>(context); }

void start(void* context) {
  HONE_CHECK(EVP_DigestInit_ex(evp(context), EVP_sha256(), nullptr) == 1);
}

}  // namespace

std::string Digest::hex() const {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 0x0F];
  }
  return text;
}

std::string Digest::base64() const {
  std::array<unsigned char, 45>
      text{};  // 32 bytes are 44 characters, and EVP ends them with a zero
  const int length = EVP_EncodeBlock(text.data(), bytes.data(), static_cast<int>(bytes.size()));
  return {text.begin(), text.begin() + length};
}

void Sha256::Free::operator()(void* context) const { EVP_MD_CTX_free(evp(context)); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  HONE_CHECK(context_ != nullptr);
  start(context_.get());
}

Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

Sha256& Sha256::add(std::string_view bytes) {
  HONE_CHECK(EVP_DigestUpdate(evp(context_.get()), bytes.data(), bytes.size()) == 1);
  return *this;
}

Sha256& Sha256::add_field(std::string_view bytes) { return add_number(bytes.size()).add(bytes); }

Sha256& Sha256::add_number(std::uint64_t number) {
  std::array<char, 8> little_endian{};
  for (char& byte : little_endian) {
    byte = static_cast<char>(number & 0xFF);
    number >>= 8;
  }
  return add({little_endian.data(), little_endian.size()});
}

Digest Sha256::finish() {
  Digest digest;
  HONE_CHECK(EVP_DigestFinal_ex(evp(context_.get()), digest.bytes.data(), nullptr) == 1);
  start(context_.get());
  return digest;
}

Digest sha256(std::string_view bytes) { return Sha256().add(bytes).finish(); }

}  // namespace hone
