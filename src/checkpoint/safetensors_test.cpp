#include "checkpoint/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace hone {
namespace {

std::string file_with(const std::string& header, const std::string& data) {
  std::string bytes;
  std::uint64_t length = header.size();
  for (int i = 0; i < 8; ++i, length >>= 8) bytes += static_cast<char>(length & 0xff);
  return bytes + header + data;
}

class Safetensors : public testing::Test {
 protected:
  Path write(const std::string& name, const std::string& bytes) {
    const Path path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  // What reading a file of these two says is wrong.
  std::string complaint(const std::string& header, const std::string& data) {
    const auto read = read_safetensors(write("model.safetensors", file_with(header, data)));
    return read ? "" : read.error().cause;
  }
  TemporaryFolder folder_ = TemporaryFolder::create("safetensors").value();
};

TEST_F(Safetensors, AreReadWithoutACopyAndSayWhereTheyLie) {
  const Path path = write("model.safetensors",
                          file_with(R"({"__metadata__":{"format":"pt"},)"
                                    R"("b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]},)"
                                    R"("a":{"dtype":"F16","shape":[2,1],"data_offsets":[0,4]}})",
                                    "0123456789ab"));
  const auto tensors = read_safetensors(path).value();
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(tensors[0]->name, "a");
  EXPECT_EQ(tensors[0]->type, ElementType::float16);
  EXPECT_EQ(tensors[1]->dense.view(), "456789ab");
  EXPECT_EQ(tensors[1]->external->location, "model.safetensors");
  const auto whole = map_file(path).value();
  EXPECT_EQ(whole.view().substr(tensors[1]->external->offset, 8), "456789ab");
}

TEST_F(Safetensors, AreReadThroughTheLinksOfAHubsCache) {
  const Path snapshot = folder_.path() / "snapshots/0123";
  std::filesystem::create_directories(snapshot);
  std::filesystem::create_directory(folder_.path() / "blobs");
  write("blobs/abc",
        file_with(R"({"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})", "0123"));
  write("blobs/def", R"({"weight_map":{"a":"one.safetensors"}})");
  std::filesystem::create_symlink("../../blobs/abc", snapshot / "one.safetensors");
  std::filesystem::create_symlink("../../blobs/def", snapshot / "model.safetensors.index.json");
  const auto tensors = read_checkpoint_tensors(snapshot);
  ASSERT_TRUE(tensors) << tensors.error().what;
  EXPECT_EQ(tensors->front()->dense.view(), "0123");
  EXPECT_EQ(tensors->front()->external->location, "one.safetensors");
}

TEST_F(Safetensors, OfAStrangerAreCheckedBeforeTheyAreBelieved) {
  using testing::HasSubstr;
  const std::string one = R"("dtype":"F32","shape":[2],"data_offsets":)";
  EXPECT_THAT(complaint(R"({"a":{)" + one + "[0,16]}}", "01234567"), HasSubstr("data_offsets"));
  EXPECT_THAT(complaint(R"({"a":{)" + one + "[8,0]}}", "01234567"), HasSubstr("data_offsets"));
  EXPECT_THAT(complaint(R"({"a":{)" + one + "[0,4]}}", "01234567"), HasSubstr("do not come to"));
  EXPECT_THAT(complaint(R"({"a":{)" + one + R"([0,8]},"b":{)" + one + "[4,12]}}", "0123456789ab"),
              HasSubstr("overlaps"));
  EXPECT_THAT(complaint(R"({"a":{)" + one + R"([0,8]},"a":{)" + one + "[0,8]}}", "01234567"),
              HasSubstr("a"));
  EXPECT_THAT(complaint(R"({"a":{"dtype":"F99","shape":[2],"data_offsets":[0,8]}})", "01234567"),
              HasSubstr("F99"));
  EXPECT_THAT(complaint(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", "01234567"),
              HasSubstr("shape"));
  EXPECT_THAT(complaint(R"({"a":{"dtype":"F32","shape":[9223372036854775807,8],)"
                        R"("data_offsets":[0,8]}})",
                        "01234567"),
              HasSubstr("do not come to"));
  EXPECT_THAT(complaint(R"({"a":{"dtype":"F32","shape":[NaN],"data_offsets":[0,8]}})", "01234567"),
              HasSubstr("header"));
  EXPECT_THAT(complaint("[1]", ""), HasSubstr("an array"));
}

TEST_F(Safetensors, WithAHeaderThatCannotBeThereAreRefused) {
  std::string bytes(8, '\xff');
  EXPECT_FALSE(read_safetensors(write("a.safetensors", bytes + "{}")));
  EXPECT_FALSE(read_safetensors(write("b.safetensors", "short")));
  EXPECT_FALSE(read_safetensors(write("c.safetensors", "")));
}

TEST_F(Safetensors, InShardsAreThoseThatTheIndexNames) {
  const std::string one = R"(:{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  write("one.safetensors", file_with(R"({"a")" + one + "}", "0123"));
  write("two.safetensors", file_with(R"({"b")" + one + "}", "4567"));
  write("model.safetensors.index.json",
        R"({"weight_map":{"a":"one.safetensors","b":"two.safetensors"}})");
  const auto tensors = read_checkpoint_tensors(folder_.path()).value();
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(tensors[1]->external->location, "two.safetensors");

  write("model.safetensors.index.json", R"({"weight_map":{"c":"one.safetensors"}})");
  EXPECT_THAT(read_checkpoint_tensors(folder_.path()).error().cause, testing::HasSubstr("'c'"));
  write("model.safetensors.index.json", R"({"weight_map":{"a":"../one.safetensors"}})");
  EXPECT_FALSE(read_checkpoint_tensors(folder_.path()));
  write("model.safetensors.index.json", R"({"weight_map":{"a":"/etc/passwd"}})");
  EXPECT_FALSE(read_checkpoint_tensors(folder_.path()));
}

TEST_F(Safetensors, ArePreferredToPicklesWhichAreRefusedByName) {
  write("pytorch_model.bin", "anything");
  const auto read = read_checkpoint_tensors(folder_.path());
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().what, testing::HasSubstr("pytorch_model.bin"));
}

TEST_F(Safetensors, OfAnotherNameAreTheWeightsWhereTheyAreTheOnlyOnes) {
  const std::string bytes =
      file_with(R"({"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})", "0123");
  EXPECT_FALSE(weights_in(folder_.path()));
  write("model.fp16.safetensors", bytes);
  write("adapter_model.safetensors", bytes);
  EXPECT_EQ(weights_in(folder_.path()), folder_.path() / "model.fp16.safetensors");
  EXPECT_EQ(read_checkpoint_tensors(folder_.path())->front()->external->location,
            "model.fp16.safetensors");
  write("pytorch_model.bin", "pickle");  // and then they are something else
  EXPECT_FALSE(weights_in(folder_.path()));
  EXPECT_THAT(read_checkpoint_tensors(folder_.path()).error().what,
              testing::HasSubstr("as a pickle"));
  std::filesystem::remove(folder_.path() / "pytorch_model.bin");
  write("model.fp32.safetensors", bytes);
  EXPECT_FALSE(weights_in(folder_.path()));
  const Error error = read_checkpoint_tensors(folder_.path()).error();
  EXPECT_EQ(error.cause,
            "several files may be its weights: model.fp16.safetensors, model.fp32.safetensors");
}

}  // namespace
}  // namespace hone
