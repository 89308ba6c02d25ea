// knowledge/schema.json is for editors and other programs. It is what the field lists accept,
// because it is made of them: UPDATE_GOLDEN=1 writes it.

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "knowledge/schema_for_tests.h"
#include "record/finding.h"

namespace hone {

HONE_DEFINITION(FindingFile, "file");
HONE_DEFINITION(Finding, "finding");
HONE_DEFINITION(Predicate, "predicate");
HONE_DEFINITION(Change, "change");
HONE_DEFINITION(FindingEffect, "effect");
HONE_DEFINITION(FindingAccuracy, "accuracy_effect");
HONE_DEFINITION(FindingMechanism, "mechanism");
HONE_DEFINITION(FindingTrial, "trial");
HONE_DEFINITION(FindingScope, "scope");
HONE_DEFINITION(FindingEvidence, "evidence");
HONE_DEFINITION(FindingEvent, "event");

namespace {

std::string schema() {
  return schema_of_file<FindingFile>("Findings of hone's knowledge base", finding_schema_version);
}

TEST(FindingSchema, IsWhatTheFieldListsAccept) {
  const Path path = Path(HONE_SOURCE_DIR) / "knowledge/schema.json";
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(path, schema()));
    return;
  }
  const auto text = read_file(path);
  ASSERT_TRUE(text) << text.error().cause;
  EXPECT_EQ(*text, schema()) << "UPDATE_GOLDEN=1 writes it";
}

}  // namespace
}  // namespace hone
