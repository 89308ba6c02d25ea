#include "report/store/store_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(StoreText, SaysWhatEachOwnerHasOfItsOwn) {
  StoreUsage usage;
  usage.store = "s";
  usage.blobs = 4;
  usage.bytes = 1038;
  usage.files = 5;
  usage.referenced_bytes = 3090;
  usage.unheld_blobs = 1;
  usage.unheld_bytes = 8;
  usage.owners = {{"bert@cpu", 3, 2010, 10, 1000}, {"bert@npu", 2, 1080, 20, 1000}};
  EXPECT_EQ(describe_usage(usage),
            "s: 4 blobs, 1.01 KiB; 5 files of 2 owners would take 3.02 KiB, 3.00 times what is "
            "held\n"
            "  owner     files     bytes       own      shared\n"
            "  bert@cpu      3  1.96 KiB  10 bytes  1000 bytes\n"
            "  bert@npu      2  1.05 KiB  20 bytes  1000 bytes\n"
            "nobody holds 1 blob, 8 bytes: hone store gc\n");
}

TEST(StoreText, SaysOfAnEmptyStoreThatItIsEmpty) {
  StoreUsage usage;
  usage.store = "s";
  EXPECT_EQ(describe_usage(usage), "s: 0 blobs, 0 bytes; nobody holds a file\n");
}

TEST(StoreText, MakesControlCharactersOfAnOwnerVisible) {
  StoreUsage usage;
  usage.files = 1;
  usage.owners = {{"\x1b[31mred", 1, 1, 1, 0}};
  EXPECT_THAT(describe_usage(usage), Not(HasSubstr("\x1b")));
}

TEST(StoreText, SaysWhatIsWrongWithWhichBlob) {
  StoreCheck check;
  check.store = "s";
  check.blobs = 2;
  check.bytes = 20;
  EXPECT_EQ(describe_check(check), "s: 2 blobs, 20 bytes, all what their names say\n");
  check.writable = {"aa"};
  EXPECT_EQ(describe_check(check),
            "s: 2 blobs, 20 bytes, all what their names say\n"
            "  writable  aa  good, but not protected: chmod 444\n");
  check.damaged = {{"bb", "cc", 10}};
  check.missing = {{"dd", "cell", "model.onnx"}};
  check.unreadable = {{"ee", "Permission denied"}};
  check.writable = {};
  check.strangers = {"s/blobs/x"};
  EXPECT_EQ(describe_check(check),
            "s: 2 blobs, 20 bytes\n"
            "  damaged     bb         its bytes have cc\n"
            "  missing     dd         held by cell as model.onnx\n"
            "  unreadable  ee         Permission denied\n"
            "  no blob     s/blobs/x  not one of ours, left alone\n"
            "3 problems; nothing was changed. Building and storing the same bytes again mends a "
            "blob.\n");
}

TEST(StoreText, SaysWhatWasRemovedAndWhatWasKept) {
  StoreCollection collection;
  collection.grace_seconds = 60;
  EXPECT_EQ(describe_collection(collection), "removed 0 blobs, 0 bytes freed\n");
  collection.removed = {{"aa", 10, true}, {"bb", 5, false}};
  collection.freed_bytes = 10;
  collection.held_blobs = 3;
  collection.young_blobs = 1;
  collection.temporary_files = 1;
  collection.temporary_bytes = 4;
  EXPECT_EQ(describe_collection(collection),
            "removed 2 blobs, 10 bytes freed\n"
            "  aa  10 bytes\n"
            "  bb   5 bytes  a file elsewhere still has them\n"
            "removed 1 temporary file, 4 bytes\n"
            "kept 3 blobs that somebody holds and 1 blob used within 1 minute\n");
  collection.is_dry_run = true;
  collection.removed.assign(25, {"aa", 10, true});
  const std::string text = describe_collection(collection);
  EXPECT_THAT(text, HasSubstr("would remove 25 blobs"));
  EXPECT_THAT(text, HasSubstr("  ... and 5 more\n"));
}

}  // namespace
}  // namespace hone
