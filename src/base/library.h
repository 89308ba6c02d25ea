#pragma once
// A shared library loaded at run time. It stays loaded for the life of the process: what it started
// (threads, exit handlers) may outlive any scope of ours.

#include <string>

#include "base/file.h"
#include "base/result.h"

namespace hone {

class Library {
 public:
  // A path, or a bare name that the system's loader looks up.
  static Result<Library> load(const std::string& path_or_name);
  // The symbol, or an error that names it and the library.
  Result<void*> symbol(const char* name) const;
  // Where the loader found it.
  const Path& path() const { return path_; }

 private:
  Library(void* handle, Path path) : handle_(handle), path_(std::move(path)) {}
  void* handle_;
  Path path_;
};

}  // namespace hone
