#include "api/arguments.h"

#include "base/misuse.h"

namespace hone::api {
namespace {

Result<Json> parse_options(const char* options) {
  if (options == nullptr || *options == '\0') return Json::object();
  return Json::parse(options);
}

}  // namespace

Status check_given(const void* pointer, std::string_view name) {
  if (pointer != nullptr) return done();
  return misuse("'" + std::string(name) + "' is NULL", "hone.h says what it takes");
}

Status check_size(std::size_t size, std::size_t least, std::string_view type) {
  if (size >= least) return done();
  return misuse("a " + std::string(type) + " says that it has " + std::to_string(size) + " bytes",
                "its `size` is sizeof(" + std::string(type) + ")");
}

Failure misread(Error error) {
  error.what = "the options cannot be read: " + error.what;
  error.fault = Fault::bad_input;
  return fail(std::move(error));
}

Result<Json> read_options(const char* options, std::initializer_list<Given> given) {
  Result<Json> document = parse_options(options);
  if (!document) return misread(std::move(document).error());
  if (document->as_object() == nullptr)
    return misread({Fault::bad_input,
                    "they are " + document->described_kind(),
                    {},
                    R"(they are an object: {"seed": 1})"});
  const Json* where = document->find("where");
  if (where != nullptr && where->find("host") != nullptr)
    return misuse("the host is not an option of this call", "hone_context_new takes it");
  for (const Given& argument : given) {
    HONE_TRY_DO(check_given(argument.value ? &argument : nullptr, argument.field));
    if (document->find(argument.field) != nullptr)
      return misuse("'" + std::string(argument.field) + "' is given twice",
                    "it is an argument of the call, and no option");
    document->set(argument.field, *argument.value);
  }
  return document;
}

}  // namespace hone::api
