#pragma once
// Starting a child process and ending it: what run_process and Conversation share. Private to base.

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/process.h"
#include "base/result.h"

namespace hone::launching {

struct Pipe {
  Descriptor reading;
  Descriptor writing;
};

// Close-on-exec, and never one of the standard streams' numbers.
Pipe open_pipe();
Descriptor clear_of_standard_streams(Descriptor file);

enum class Step { enter_folder, limit_memory, execute };

struct StartFailure {
  Step step;
  int error_number;
};

// Everything the child needs, made before fork(): between fork and exec nothing may be allocated.
struct Launch {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::vector<char*> argument_pointers;
  std::vector<char*> environment_pointers;
  std::string folder;
  std::uint64_t memory_bytes = 0;
  Descriptor input;
  Pipe output;
  Pipe errors;
  Pipe failure;  // closed by a successful exec; else it carries a StartFailure
};

Launch prepare(const std::vector<std::string>& arguments, const ProcessOptions& options,
               Descriptor input);

// Forks and becomes the program; the parent's ends of the pipes stay in `launch`.
Result<pid_t> start(Launch& launch, const ProcessOptions& options);

// Leaves the child in the process table, so that its group's number stays its own until reap().
bool is_over(pid_t id);
void kill_group(pid_t id);
// Waits for the child and writes how it ended.
void reap(pid_t id, ProcessEnd& end);

}  // namespace hone::launching
