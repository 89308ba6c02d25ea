#include "base/git_blob.h"

#include <openssl/evp.h>

#include <array>

#include "base/result.h"

namespace hone {
namespace {

EVP_MD_CTX* evp(void* context) { return static_cast<EVP_MD_CTX*>(context); }

}  // namespace

void GitBlobHash::Free::operator()(void* context) const { EVP_MD_CTX_free(evp(context)); }

GitBlobHash::GitBlobHash(std::uint64_t size) : context_(EVP_MD_CTX_new()) {
  HONE_CHECK(context_ != nullptr);
  HONE_CHECK(EVP_DigestInit_ex(evp(context_.get()), EVP_sha1(), nullptr) == 1);
  const std::string head = "blob " + std::to_string(size);
  add({head.c_str(), head.size() + 1});
}

GitBlobHash& GitBlobHash::add(std::string_view bytes) {
  HONE_CHECK(EVP_DigestUpdate(evp(context_.get()), bytes.data(), bytes.size()) == 1);
  return *this;
}

std::string GitBlobHash::finish() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<unsigned char, 20> bytes{};
  HONE_CHECK(EVP_DigestFinal_ex(evp(context_.get()), bytes.data(), nullptr) == 1);
  std::string text;
  for (const unsigned char byte : bytes) text += {digits[byte >> 4], digits[byte & 0x0F]};
  return text;
}

}  // namespace hone
