#pragma once
// The library as a C program would hold it, for tests: handles that free themselves and a folder
// that goes.

#include <gtest/gtest.h>
#include <hone/hone.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

namespace hone_tests {

// In a build libhone.so is not where it is installed.
inline std::string host_options() { return R"({"program": ")" HONE_PROGRAM R"("})"; }

inline std::string fixture(const std::string& name) {
  return std::string(HONE_SOURCE_DIR) + "/tests/fixtures/" + name;
}
inline std::string small_model() { return fixture("tiny/resnet-cls/torch-opset17.onnx"); }

struct Free {
  void operator()(hone_error* error) const { hone_error_free(error); }
  void operator()(hone_result* result) const { hone_result_free(result); }
  void operator()(hone_context* context) const { hone_context_free(context); }
  void operator()(hone_stop* stop) const { hone_stop_free(stop); }
};

// What a call filled. Both are addresses for the next call, after clear().
struct Answer {
  hone_code code = HONE_DONE;
  hone_result* result = nullptr;
  hone_error* error = nullptr;

  Answer() = default;
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;
  ~Answer() { clear(); }
  void clear() {
    hone_result_free(result);
    hone_error_free(error);
    result = nullptr;
    error = nullptr;
  }
  std::string text(const char* pointer) const {
    const char* value = hone_result_text(result, pointer);
    return value != nullptr ? value : "";
  }
  std::string what() const { return hone_error_what(error); }
};

inline std::unique_ptr<hone_context, Free> open_context() {
  hone_context* context = nullptr;
  hone_error* error = nullptr;
  const hone_code code =
      hone_context_new(HONE_API_VERSION, host_options().c_str(), &context, &error);
  EXPECT_EQ(code, HONE_DONE) << hone_error_text(error);
  hone_error_free(error);
  return std::unique_ptr<hone_context, Free>(context);
}

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "hone-api-XXXXXX") {
    std::string name = path_.string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace hone_tests
