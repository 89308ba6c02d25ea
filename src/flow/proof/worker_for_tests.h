#pragma once
// A worker that says what a test wants: the first job gets the first answer, the second one the
// next. What it was asked for can be read.

#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "record/fault.h"

namespace hone {

class WorkerOfATest {
 public:
  explicit WorkerOfATest(const std::vector<Json>& says) {
    for (std::size_t i = 0; i < says.size(); ++i)
      HONE_CHECK(write_file(path("says." + std::to_string(i + 1)), says[i].dump(-1) + "\n"));
    // Where a job leaves a folder, it is there.
    HONE_CHECK(write_file(program(), "#!/bin/sh\ncd '" + folder_.path().string() +
                                         R"sh(' && read -r line
printf '%s\n' "$line" >> asked
output=$(printf '%s' "$line" | sed -n 's/.*"output": *"\([^"]*\)".*/\1/p')
[ -z "$output" ] || mkdir -p "$output" 2> /dev/null
cat says.$(wc -l < asked)
)sh"));
    std::filesystem::permissions(program(), std::filesystem::perms::owner_all);
  }

  Path program() const { return path("worker"); }

  // The order of a job, from 0.
  Json asked(std::size_t job) const {
    std::string text = *read_file(path("asked"));
    for (; job > 0; --job) text.erase(0, text.find('\n') + 1);
    return *Json::parse(text.substr(0, text.find('\n')))->find("order");
  }

 private:
  Path path(const std::string& name) const { return folder_.path() / name; }
  TemporaryFolder folder_ = TemporaryFolder::create("worker").value();
};

template <class Answer>
Json answered(const Answer& answer) {
  return Json::object().set("answer", to_json(answer));
}
inline Json refused(const Error& error) { return Json::object().set("error", to_json(error)); }

}  // namespace hone
