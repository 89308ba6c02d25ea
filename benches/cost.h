#pragma once
// What a program costs as a user runs it: a whole process, wall time and peak memory.

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace hone::bench {

struct Cost {
  double milliseconds = 0;
  double megabytes = 0;  // peak resident
};

struct Place {
  std::string folder = ".";
  std::string standard_output = "/dev/null";
};

// Runs a program to its end. A failure ends the bench: a ratio over a failed run would be a lie.
inline Cost measure(std::vector<std::string> words, const Place& place = {}) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, place.standard_output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_addchdir_np(&actions, place.folder.c_str());
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  if (posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) != 0) {
    std::fprintf(stderr, "bench: cannot start %s\n", arguments[0]);
    std::exit(1);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  posix_spawn_file_actions_destroy(&actions);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::fprintf(stderr, "bench: %s %s failed\n", words[0].c_str(),
                 words.size() > 1 ? words[1].c_str() : "");
    std::exit(1);
  }
  return {elapsed.count(), static_cast<double>(usage.ru_maxrss) / 1024};
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace hone::bench
