// Publishing to a real registry, over wires that are cut.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "base/http.h"
#include "base/json.h"
#include "catalog/oci/registry_for_tests.h"
#include "catalog/package_for_tests.h"

namespace hone {
namespace {

using testing::bytes_for;
using ::testing::ElementsAre;
using testing::file_of;
using ::testing::HasSubstr;
using testing::hurried;
using testing::opened;
using testing::package_of;
using testing::RealRegistry;
using testing::Wire;

constexpr std::uint64_t config_bytes = 2;  // of "{}", which every artifact has

class OnARealRegistry : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RealRegistry::is_installed()) GTEST_SKIP() << "docker-registry is not installed";
    registry_ = std::make_unique<RealRegistry>();
  }
  std::string at(const std::string& repository) const {
    return "oci://" + registry_->address() + "/" + repository;
  }
  PackageFile file(const std::string& path, const std::string& bytes) const {
    return file_of(folder_.path(), path, bytes);
  }
  std::string got(const std::string& target) const {
    HttpRequest request;
    request.url = *parse_url("http://" + registry_->address() + target);
    request.headers = {{"Accept",
                        "application/vnd.oci.image.manifest.v1+json, "
                        "application/vnd.oci.image.index.v1+json"}};
    return HttpClient({}).send(request)->body;
  }

  TemporaryFolder folder_ = *TemporaryFolder::create("oci");
  std::unique_ptr<RealRegistry> registry_;
};

TEST_F(OnARealRegistry, APackageArrivesAndComesBack) {
  const std::string weights = bytes_for(1, 3'000'000);
  const Package package = package_of(
      {file("model.onnx", "graph"), file("data/model.onnx.data", weights), file("empty", "")});
  auto destination = opened(at("models/tiny"));
  ASSERT_TRUE(destination->ready(Access::write));
  const Published published = destination->publish(package, {});
  ASSERT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
  EXPECT_TRUE(published.confirmed);
  EXPECT_EQ(published.reference, at("models/tiny") + ":0.0.0-run1-cpu-model");
  EXPECT_EQ(published.bytes_sent, weights.size() + 5 + config_bytes);

  const auto fetched = destination->fetch(package.version, folder_.path() / "all", {});
  ASSERT_TRUE(fetched) << fetched.error().what << fetched.error().cause;
  EXPECT_EQ(fetched->digest, published.digest);
  EXPECT_EQ(*read_file(folder_.path() / "all/data/model.onnx.data"), weights);
  EXPECT_EQ(*read_file(folder_.path() / "all/empty"), "");

  const auto one =
      destination->fetch(published.digest, folder_.path() / "one", {.files = {"model.onnx"}});
  ASSERT_TRUE(one) << one.error().what;
  EXPECT_EQ(*read_file(folder_.path() / "one/model.onnx"), "graph");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "one/data"));
}

TEST_F(OnARealRegistry, WhatTwoPackagesShareTravelsOnce) {
  const std::string weights = bytes_for(2, 2'000'000);
  auto destination = opened(at("models"));
  const Published first =
      destination->publish(package_of({file("w", weights), file("a", "first")}, "0.0.0-r-1"), {});
  const Published second = destination->publish(
      package_of({file("w", weights), file("again", weights), file("a", "other")}, "0.0.0-r-2"),
      {});
  ASSERT_EQ(second.outcome, PublishOutcome::uploaded) << second.error;
  EXPECT_EQ(first.bytes_sent, weights.size() + 5 + config_bytes);
  EXPECT_EQ(second.bytes_sent, 5u);
  EXPECT_EQ(second.bytes_there, weights.size() + config_bytes);
  EXPECT_EQ(second.blobs_sent, 1u);
  EXPECT_EQ(second.blobs_there, 2u);
}

TEST_F(OnARealRegistry, BlobsAreTakenFromAnotherRepository) {
  const Package package = package_of({file("w", bytes_for(3, 1'000'000))});
  ASSERT_EQ(opened(at("first"))->publish(package, {}).outcome, PublishOutcome::uploaded);
  PublisherSettings settings = hurried();
  settings.mount_from = {"nowhere", "first"};
  const Published published = opened(at("second"), settings)->publish(package, {});
  ASSERT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
  EXPECT_EQ(published.blobs_mounted, 2u);
  EXPECT_EQ(published.bytes_sent, 0u);
}

TEST_F(OnARealRegistry, WhatIsThereIsNotReplaced) {
  auto destination = opened(at("models"));
  const Package package = package_of({file("a", "these bytes")});
  const Package other = package_of({file("a", "other bytes")});
  const Published first = destination->publish(package, {});
  const Published again = destination->publish(package, {});
  EXPECT_EQ(again.outcome, PublishOutcome::uploaded);
  EXPECT_TRUE(again.confirmed);
  const Published skipped = destination->publish(package, {.skip_existing = true});
  EXPECT_EQ(skipped.outcome, PublishOutcome::exists_skipped);
  EXPECT_TRUE(skipped.confirmed);
  const Published refused = destination->publish(other, {});
  EXPECT_EQ(refused.outcome, PublishOutcome::failed);
  EXPECT_THAT(refused.error, HasSubstr("is there already, with other files"));
  const Published left = destination->publish(other, {.skip_existing = true});
  EXPECT_EQ(left.outcome, PublishOutcome::exists_skipped);
  EXPECT_FALSE(left.confirmed);
  EXPECT_EQ(left.digest, first.digest);
}

TEST_F(OnARealRegistry, EvidenceIsAttachedAndListedOnce) {
  Package package = package_of({file("a", "model")});
  package.evidence = file("manifest.json", R"({"measured": true})");
  auto destination = opened(at("models"));
  const Published published = destination->publish(package, {});
  ASSERT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
  // As if the tag had not been reached: all of it is put again.
  HttpRequest forget{.method = "DELETE"};
  forget.url =
      *parse_url("http://" + registry_->address() + "/v2/models/manifests/" + published.digest);
  ASSERT_EQ(HttpClient({}).send(forget)->status, 202);
  ASSERT_EQ(destination->publish(package, {}).outcome, PublishOutcome::uploaded);

  const std::string tag = "sha256-" + published.digest.substr(7);
  const Json index = *Json::parse(got("/v2/models/manifests/" + tag));
  ASSERT_EQ(index.find("manifests")->as_array()->size(), 1u);
  const Json& entry = index.find("manifests")->as_array()->front();
  EXPECT_EQ(*entry.find("artifactType"), Json("application/vnd.hone.evidence.v1+json"));
  const Json referrer =
      *Json::parse(got("/v2/models/manifests/" + *entry.find("digest")->as_string()));
  EXPECT_EQ(*referrer.find("subject")->find("digest"), Json(published.digest));
  const Json& layer = referrer.find("layers")->as_array()->front();
  EXPECT_EQ(got("/v2/models/blobs/" + *layer.find("digest")->as_string()), R"({"measured": true})");
}

TEST_F(OnARealRegistry, VersionsOfARunAreListedAndNoOthers) {
  auto destination = opened(at("models"));
  const auto before = destination->versions("run1");
  ASSERT_TRUE(before) << before.error().what;
  EXPECT_TRUE(before->empty());
  for (const char* version : {"0.0.0-run1-cpu-a", "0.0.0-run1-cpu-b", "0.0.0-run10-cpu-a"}) {
    ASSERT_TRUE(destination->publish(package_of({file("a", version)}, version), {}).confirmed);
  }
  EXPECT_THAT(*destination->versions("run1"), ElementsAre("0.0.0-run1-cpu-a", "0.0.0-run1-cpu-b"));
}

TEST_F(OnARealRegistry, ACutBetweenChunksGoesOnWithTheNextChunk) {
  const std::string weights = bytes_for(4, 1'000'000);
  int chunks = 0;
  const Wire wire(registry_->port(), [&](std::string_view piece) {
    const bool is_chunk = piece.starts_with("PATCH ");
    chunks += is_chunk ? 1 : 0;
    return !(is_chunk && (chunks == 3 || chunks == 7));
  });
  PublisherSettings settings = hurried();
  settings.chunk_bytes = 100'000;
  auto destination = opened("oci://" + wire.address() + "/models", settings);
  const Published published = destination->publish(package_of({file("w", weights)}), {});
  ASSERT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
  EXPECT_EQ(chunks, 13);  // ten of the weights, two again, one of the config
  EXPECT_EQ(*read_file(registry_->blob_file(sha256(weights).hex())), weights);
}

TEST_F(OnARealRegistry, ACutInsideAChunkStartsThatBlobAgain) {
  const std::string weights = bytes_for(5, 1'000'000);
  std::uint64_t passed = 0;
  int cuts = 0;
  const Wire wire(registry_->port(), [&](std::string_view piece) {
    passed += piece.size();
    const bool cuts_now = passed > 450'000 && cuts < 2;
    if (cuts_now) ++cuts, passed = 0;
    return !cuts_now;
  });
  PublisherSettings settings = hurried();
  settings.chunk_bytes = 200'000;
  auto destination = opened("oci://" + wire.address() + "/models", settings);
  const Published published = destination->publish(package_of({file("w", weights)}), {});
  ASSERT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
  EXPECT_TRUE(published.confirmed);
  EXPECT_EQ(cuts, 2);
  // What travelled twice is told.
  EXPECT_GT(published.bytes_sent, weights.size() + config_bytes);
  EXPECT_EQ(*read_file(registry_->blob_file(sha256(weights).hex())), weights);
}

TEST_F(OnARealRegistry, ARegistryThatDiesAndComesBackIsForgiven) {
  const std::string weights = bytes_for(6, 1'000'000);
  int chunks = 0;
  std::promise<void> fifth_chunk;
  std::promise<void> is_back;
  const Wire wire(registry_->port(), [&](std::string_view piece) {
    if (!piece.starts_with("PATCH ") || ++chunks != 5) return true;
    fifth_chunk.set_value();
    is_back.get_future().wait();
    return false;
  });
  PublisherSettings settings = hurried();
  settings.chunk_bytes = 100'000;
  auto destination = opened("oci://" + wire.address() + "/models", settings);
  const Package package = package_of({file("w", weights)});
  auto publishing =
      std::async(std::launch::async, [&] { return destination->publish(package, {}); });
  // From this thread: the registry dies with the one that started it.
  fifth_chunk.get_future().wait();
  registry_->kill();
  registry_->start();
  is_back.set_value();
  const Published published = publishing.get();
  ASSERT_EQ(published.outcome, PublishOutcome::uploaded) << published.error;
  EXPECT_EQ(chunks, 12);
  EXPECT_LE(published.bytes_sent, weights.size() + 100'000 + config_bytes);
  EXPECT_EQ(*read_file(registry_->blob_file(sha256(weights).hex())), weights);
}

TEST_F(OnARealRegistry, ARegistryThatIsGoneIsAFailureThatSaysSo) {
  auto destination = opened(at("models"));
  registry_->kill();
  const Published published = destination->publish(package_of({file("a", "x")}), {});
  EXPECT_EQ(published.outcome, PublishOutcome::failed);
  EXPECT_FALSE(published.confirmed);
  EXPECT_THAT(published.error, HasSubstr("Connection refused"));
  EXPECT_FALSE(destination->ready(Access::read));
  EXPECT_FALSE(destination->versions("run1"));
}

TEST_F(OnARealRegistry, AFullDiskThereIsAFailureThatSaysSo) {
  if (!RealRegistry::can_have_small_disk())
    GTEST_SKIP() << "skipped: no mount is allowed here, so no disk can be full";
  registry_ = std::make_unique<RealRegistry>("512k");
  auto destination = opened(at("models"));
  const Package large = package_of({file("large", bytes_for(7, 2'000'000))});
  const Published refused = destination->publish(large, {});
  EXPECT_EQ(refused.outcome, PublishOutcome::failed);
  EXPECT_FALSE(refused.confirmed);
  EXPECT_THAT(refused.error, HasSubstr("disk is full"));
  const auto there = destination->versions("run1");
  ASSERT_TRUE(there);
  EXPECT_TRUE(there->empty()) << "a package that did not arrive is not listed";
}

TEST_F(OnARealRegistry, AnotherClientReadsWhatWePublish) {
  if (!run_process({"skopeo", "--version"})) GTEST_SKIP() << "skopeo is not installed";
  const Published published =
      opened(at("models"))->publish(package_of({file("m.onnx", "graph")}), {});
  const std::string image = "docker://" + registry_->address() + "/models:0.0.0-run1-cpu-model";
  const auto raw = run_process({"skopeo", "inspect", "--tls-verify=false", "--raw", image});
  ASSERT_TRUE(raw && raw->ok()) << raw->standard_error;
  EXPECT_EQ("sha256:" + sha256(raw->standard_output).hex(), published.digest);
  const auto copied = run_process({"skopeo", "copy", "--insecure-policy", "--src-tls-verify=false",
                                   image, "oci:" + (folder_.path() / "copy").string()});
  ASSERT_TRUE(copied && copied->ok()) << copied->standard_error;
  EXPECT_EQ(*read_file(folder_.path() / "copy/blobs/sha256" / sha256("graph").hex()), "graph");
}

}  // namespace
}  // namespace hone
