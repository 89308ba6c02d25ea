// Publishing to a real registry that speaks TLS and that only a proxy can reach.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/proxy_for_tests.h"
#include "catalog/oci/registry_for_tests.h"
#include "catalog/package_for_tests.h"

namespace hone {
namespace {

using testing::bytes_for;
using ::testing::Each;
using ::testing::Field;
using testing::file_of;
using testing::hurried;
using testing::opened;
using testing::package_of;
using testing::RealRegistry;
using testing::ServedRequest;
using testing::TestCertificate;
using testing::TestProxy;

TEST(OciThroughAProxy, APackageArrivesAndComesBack) {
  if (!RealRegistry::is_installed()) GTEST_SKIP() << "docker-registry is not installed";
  const TestCertificate certificate("DNS:registry.example");
  const RealRegistry registry({}, &certificate);
  const TestProxy proxy({{"registry.example:443", registry.port()}});
  PublisherSettings settings = hurried();
  settings.trust.file = certificate.file();
  settings.proxy.address = proxy.address();
  settings.chunk_bytes = 400'000;

  const auto folder = TemporaryFolder::create("oci");
  const std::string weights = bytes_for(1, 1'000'000);
  const Package package = package_of({file_of(folder->path(), "model.onnx", weights)});
  auto destination = opened("oci://registry.example/models", settings);
  ASSERT_TRUE(destination->ready(Access::write));
  const Published published = destination->publish(package, {});
  ASSERT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
  const std::uint64_t bytes_out = proxy.bytes();
  EXPECT_GT(bytes_out, weights.size());
  const auto fetched = destination->fetch(package.version, folder->path() / "back", {});
  ASSERT_TRUE(fetched) << fetched.error().what << fetched.error().cause;
  EXPECT_EQ(*read_file(folder->path() / "back/model.onnx"), weights);
  EXPECT_GT(proxy.bytes(), bytes_out + weights.size());
  EXPECT_FALSE(proxy.requests().empty());
  EXPECT_THAT(proxy.requests(), Each(Field(&ServedRequest::target, "registry.example:443")));
}

}  // namespace
}  // namespace hone
