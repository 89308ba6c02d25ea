#pragma once
// What programs wrote. A result that is not there ends the bench: a ratio without it would be a
// lie.

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "base/file.h"
#include "base/json.h"

namespace hone::bench {

inline double number_in(const Json& document, std::initializer_list<const char*> path) {
  const Json* found = &document;
  for (const char* key : path) found = found != nullptr ? found->find(key) : nullptr;
  if (found != nullptr && found->to_double()) return *found->to_double();
  std::fprintf(stderr, "bench: a result has no %s\n", *(path.end() - 1));
  std::exit(1);
}

inline Json json_in(const Path& file) {
  const auto text = read_file(file);
  auto document = text ? Json::parse(*text) : Result<Json>(fail(text.error()));
  if (document) return *std::move(document);
  std::fprintf(stderr, "bench: '%s' holds no result\n", file.string().c_str());
  std::exit(1);
}

inline double count_in(const Json& document, const char* list) {
  const Json* found = document.find(list);
  if (found != nullptr && found->as_array() != nullptr)
    return static_cast<double>(found->as_array()->size());
  std::fprintf(stderr, "bench: a result has no list %s\n", list);
  std::exit(1);
}

}  // namespace hone::bench
