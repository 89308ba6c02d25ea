// Evidence out of registries: real ones list it in two ways, hostile ones in many.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/oci/evidence.h"
#include "catalog/oci/scripted_registry_for_tests.h"
#include "catalog/package_for_tests.h"

namespace hone {
namespace {

using ::testing::ElementsAre;
using testing::file_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::opened;
using testing::package_of;
using testing::response;
using testing::ScriptedRegistry;
using testing::ServedRequest;

const std::string text = R"({"measured": 1})";

std::string digest_for(std::string_view bytes) { return "sha256:" + sha256(bytes).hex(); }
const std::string subject = digest_for("package");

bool asks_for(const ServedRequest& request, const std::string& part) {
  return request.target.find(part) != std::string::npos;
}

std::string descriptor(const std::string& type, const std::string& bytes,
                       const std::string& artifact) {
  return R"({"mediaType":")" + type + R"(","digest":")" + digest_for(bytes) + R"(","size":)" +
         std::to_string(bytes.size()) + R"(,"artifactType":")" + artifact + R"("})";
}

// What a registry has about one package. A test changes one thing.
struct Attached {
  std::string blob = text;
  std::string layer = descriptor("application/json", text, "");
  std::string artifact = std::string(oci::evidence_type);
  std::string about = subject;
  std::string more{};  // in the list, after ours

  std::string manifest() const {
    return R"({"schemaVersion":2,"artifactType":")" + artifact + R"(","layers":[)" + layer +
           R"(],"subject":{"mediaType":"m","digest":")" + about + R"(","size":7}})";
  }
  std::string index() const {
    return R"({"schemaVersion":2,"manifests":[)" +
           descriptor(std::string(oci::manifest_type), manifest(),
                      std::string(oci::evidence_type)) +
           more + "]}";
  }
  std::string answer(const ServedRequest& request) const {
    if (asks_for(request, "/referrers/")) return response(200, index());
    if (asks_for(request, "/manifests/")) return response(200, manifest());
    if (asks_for(request, "/blobs/")) return response(200, blob);
    return {};
  }
  Result<std::vector<std::string>> fetched() const {
    const ScriptedRegistry registry(
        [this](const ServedRequest& request) { return answer(request); });
    return opened(registry.repository())->evidence("v", subject);
  }
  std::string refusal() const {
    const auto got = fetched();
    return got ? "" : got.error().what + ": " + got.error().cause;
  }
};

TEST(OciEvidence, IsFoundWhereTheRegistryListsReferrers) {
  EXPECT_THAT(*Attached{}.fetched(), ElementsAre(text));
}

TEST(OciEvidence, IsFoundUnderTheTagOfADigestWhereItDoesNot) {
  const TemporaryFolder folder = *TemporaryFolder::create("oci");
  const ScriptedRegistry registry;
  Package package = package_of({file_of(folder.path(), "a", "model")});
  package.evidence = file_of(folder.path(), "manifest.json", text);
  auto place = opened(registry.repository());
  const Published published = place->publish(package, {});
  ASSERT_TRUE(published.confirmed) << published.error;
  const auto got = place->evidence(package.version, published.digest);
  ASSERT_TRUE(got) << got.error().what << got.error().cause;
  EXPECT_THAT(*got, ElementsAre(text));
}

TEST(OciEvidence, MayBeAbsent) {
  const ScriptedRegistry none;
  EXPECT_THAT(*opened(none.repository())->evidence("v", subject), IsEmpty());
  const ScriptedRegistry empty([](const ServedRequest& request) {
    return asks_for(request, "/referrers/") ? response(200, R"({"manifests":[]})") : "";
  });
  EXPECT_THAT(*opened(empty.repository())->evidence("v", subject), IsEmpty());
}

TEST(OciEvidence, OfTwoPiecesBothCome) {
  Attached attached;
  attached.more = "," + descriptor(std::string(oci::manifest_type), attached.manifest(),
                                   std::string(oci::evidence_type));
  EXPECT_THAT(*attached.fetched(), ElementsAre(text, text));
}

TEST(OciEvidence, IsToldFromOtherThingsThatAreAttached) {
  Attached attached;
  attached.more = "," + descriptor("m", "a signature", "application/vnd.other");
  EXPECT_THAT(*attached.fetched(), ElementsAre(text));
}

TEST(OciEvidence, WithOtherBytesThanPromisedIsNone) {
  Attached attached;
  attached.blob = R"({"measured": 2})";
  EXPECT_THAT(attached.refusal(), HasSubstr("its bytes have another digest"));
  attached.blob = text + text;
  EXPECT_THAT(attached.refusal(), HasSubstr("too long"));
}

TEST(OciEvidence, ThatIsTooLargeIsNotFetched) {
  Attached attached;
  attached.layer = R"({"mediaType":"application/json","digest":")" + digest_for(text) +
                   R"(","size":99999999999})";
  EXPECT_THAT(attached.refusal(), HasSubstr("it is too large"));
}

TEST(OciEvidence, OfAnotherMediaTypeIsNone) {
  Attached attached;
  attached.layer = descriptor("text/html", text, "");
  EXPECT_THAT(attached.refusal(), HasSubstr("its file is no JSON"));
  Attached other;
  other.artifact = "application/vnd.other";
  EXPECT_THAT(other.refusal(), HasSubstr("its manifest is of another type"));
}

TEST(OciEvidence, AboutAnotherPackageIsNone) {
  Attached attached;
  attached.about = digest_for("another package");
  EXPECT_THAT(attached.refusal(), HasSubstr("it is about another package"));
}

TEST(OciEvidence, BehindAnotherManifestThanListedIsNone) {
  const Attached attached;
  const ScriptedRegistry liar([&](const ServedRequest& request) {
    return asks_for(request, "/manifests/") ? response(200, attached.manifest() + " ")
                                            : attached.answer(request);
  });
  const auto got = opened(liar.repository())->evidence("v", subject);
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().cause, HasSubstr("its manifest has another digest"));
}

TEST(OciEvidence, AListThatIsNoListIsNeverTakenForAnEmptyOne) {
  for (const std::string& answer :
       {response(401), response(403), response(500), response(200, "[]"), response(200, "{}"),
        response(200, "<html>"), response(200, R"({"manifests":{}})"),
        response(200, R"({"manifests":[1]})"), response(200, R"({"manifests":[{"digest":"x"}]})"),
        response(200, R"({"manifests":[]})", "Link: </v2/models/referrers/x>; rel=\"next\"\r\n"),
        response(200, R"({"manifests":[]})", "Link: <http://127.0.0.2:1/>; rel=\"next\"\r\n")}) {
    const ScriptedRegistry registry([&](const ServedRequest&) { return answer; });
    EXPECT_FALSE(opened(registry.repository())->evidence("v", subject)) << answer;
  }
  const ScriptedRegistry tagged([](const ServedRequest& request) {
    return asks_for(request, "/manifests/sha256-") ? response(200, R"({"layers":[]})") : "";
  });
  EXPECT_FALSE(opened(tagged.repository())->evidence("v", subject));
}

TEST(OciEvidence, ThatNobodyCouldReadThroughIsRefused) {
  Attached attached;
  for (int i = 0; i < 20; ++i)
    attached.more += "," + descriptor(std::string(oci::manifest_type), attached.manifest(),
                                      std::string(oci::evidence_type));
  EXPECT_THAT(attached.refusal(), HasSubstr("more than can be read"));
}

}  // namespace
}  // namespace hone
