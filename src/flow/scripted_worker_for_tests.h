#pragma once
// A program whose `worker` does what a test says, so that flows can be tested without what they
// start.

#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "base/json.h"
#include "record/fields.h"

namespace hone {

class ScriptedWorker {
 public:
  ScriptedWorker() {
    EXPECT_TRUE(write_file(program(), R"sh(#!/bin/sh
read -r line
name=$(printf '%s' "$line" | sed 's/^{"do":"job","name":"\([a-z]*\)".*/\1/')
printf '%s\n' "$line" >"$(dirname "$0")/$name.request"
. "$(dirname "$0")/$name.sh"
)sh"));
    std::filesystem::permissions(program(), std::filesystem::perms::owner_all);
  }

  std::string program() const { return (folder_.path() / "program").string(); }
  Path folder() const { return folder_.path(); }

  // What a job of that name does, as lines of a shell.
  void on(const std::string& job, const std::string& lines) const {
    EXPECT_TRUE(write_file(folder_.path() / (job + ".sh"), lines + "\n"));
  }
  void answers(const std::string& job, const std::string& answer = "{}") const {
    on(job, "echo '{\"answer\": " + answer + "}'");
  }

  // Whether a job of that name was asked for, and the order it came with.
  bool was_asked(const std::string& job) const {
    return std::filesystem::exists(folder_.path() / (job + ".request"));
  }
  template <class Order>
  Order order() const {
    const auto text = read_file(folder_.path() / (std::string(Order::job) + ".request"));
    const Json request = Json::parse(text.value()).value();
    return from_json<Order>(*request.find("order")).value();
  }

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("worker").value();
};

}  // namespace hone
