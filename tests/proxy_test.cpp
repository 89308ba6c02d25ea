// The proxy that the environment names, as a person behind one has it: a whole process, and a real
// registry whose name leads nowhere else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/proxy_for_tests.h"
#include "catalog/oci/registry_for_tests.h"
#include "catalog/package_for_tests.h"

namespace hone {
namespace {

using ::testing::HasSubstr;
using testing::RealRegistry;
using testing::TestCertificate;
using testing::TestProxy;

class BehindAProxy : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RealRegistry::is_installed()) GTEST_SKIP() << "skipped: docker-registry is not installed";
    registry_ = std::make_unique<RealRegistry>("", &certificate_);
    proxy_ = std::make_unique<TestProxy>(
        std::map<std::string, std::uint16_t>{{"registry.example:443", registry_->port()}});
    PublisherSettings settings = testing::hurried();
    settings.trust.file = certificate_.file();
    settings.proxy.address = proxy_->address();
    const Package package =
        testing::package_of({testing::file_of(folder_.path(), "model.onnx", weights_)});
    const Published published =
        testing::opened("oci://registry.example/models", settings)->publish(package, {});
    ASSERT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
    version_ = package.version;
  }

  ProcessEnd pull(const std::string& host, std::map<std::string, std::string> environment) {
    ProcessOptions options;
    environment["SSL_CERT_FILE"] = certificate_.file().string();
    for (const char* name :
         {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"})
      environment.try_emplace(name, "");
    options.environment = {environment.begin(), environment.end()};
    options.folder = folder_.path();
    return *run_process(
        {HONE_PROGRAM, "pull", "oci://" + host + "/models:" + version_, "-o", "got"}, options);
  }

  const std::string weights_ = testing::bytes_for(1, 300'000);
  TemporaryFolder folder_ = *TemporaryFolder::create("proxy");
  TestCertificate certificate_{"DNS:registry.example,IP:127.0.0.1"};
  std::unique_ptr<RealRegistry> registry_;
  std::unique_ptr<TestProxy> proxy_;
  std::string version_;
};

TEST_F(BehindAProxy, HttpsProxySaysWhereItIs) {
  for (const char* name : {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
    const std::uint64_t before = proxy_->bytes();
    const ProcessEnd end = pull("registry.example", {{name, proxy_->address()}});
    ASSERT_TRUE(end.ok()) << name << ": " << end.standard_error;
    EXPECT_EQ(*read_file(folder_.path() / "got/model.onnx"), weights_);
    EXPECT_GT(proxy_->bytes(), before + weights_.size());
    EXPECT_EQ(proxy_->requests().back().target, "registry.example:443");
    std::filesystem::remove_all(folder_.path() / "got");
  }
}

TEST_F(BehindAProxy, NoProxySaysWhoNeedsNone) {
  const std::size_t before = proxy_->requests().size();
  const ProcessEnd end = pull(
      "registry.example", {{"https_proxy", proxy_->address()}, {"no_proxy", "localhost,.example"}});
  EXPECT_THAT(end.standard_error, HasSubstr("there is no host 'registry.example'"));
  EXPECT_EQ(proxy_->requests().size(), before);
}

TEST_F(BehindAProxy, WhatTheProxyRefusesIsTold) {
  const ProcessEnd end = pull("other.example", {{"https_proxy", proxy_->address()}});
  EXPECT_EQ(end.exit_code, 5);
  EXPECT_THAT(end.standard_error, HasSubstr("the proxy does not connect us to other.example"));
  EXPECT_THAT(end.standard_error, HasSubstr("no_proxy"));
}

}  // namespace
}  // namespace hone
