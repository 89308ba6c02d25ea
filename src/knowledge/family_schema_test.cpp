// model_knowledge/schema.json is what the field lists accept: UPDATE_GOLDEN=1 writes it.

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "knowledge/schema_for_tests.h"
#include "record/model_knowledge.h"

namespace hone {

HONE_DEFINITION(ModelFinding, "finding");
HONE_DEFINITION(ModelScope, "scope");
HONE_DEFINITION(ModelTrial, "trial");
HONE_DEFINITION(ModelMechanism, "mechanism");
HONE_DEFINITION(ModelEvidence, "evidence");

namespace {

TEST(FamilySchema, IsWhatTheFieldListsAccept) {
  const Path path = Path(HONE_SOURCE_DIR) / "model_knowledge/schema.json";
  const std::string schema = schema_of_file<FamilyKnowledge>(
      "What hone knows of a family of models", model_knowledge_schema_version);
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(path, schema));
    return;
  }
  const auto text = read_file(path);
  ASSERT_TRUE(text) << text.error().cause;
  EXPECT_EQ(*text, schema) << "UPDATE_GOLDEN=1 writes it";
}

}  // namespace
}  // namespace hone
