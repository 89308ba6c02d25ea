#pragma once
// What a caller hands in, checked: nothing he can pass may end the process but a wild pointer.

#include <hone/hone.h>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/result.h"
#include "record/fields.h"
#include "record/where.h"

namespace hone::api {

// "'model' is NULL"
Status check_given(const void* pointer, std::string_view name);
// Of a struct that was filled by a header that knows less than this library.
Status check_size(std::size_t size, std::size_t least, std::string_view type);

// An argument of a call that is a field of its order.
struct Given {
  Given(std::string_view name, const char* text) : field(name) {
    if (text != nullptr) value = Json(text);
  }
  Given(std::string_view name, Json said) : field(name), value(std::move(said)) {}

  std::string_view field;
  std::optional<Json> value;  // nothing: it was NULL
};

// The options as one document, with what the call was given besides. Refused: what is no JSON
// object, what is an argument of the call, and a host, which is the context's.
Result<Json> read_options(const char* options, std::initializer_list<Given> given);

// The error of reading them, for who wrote them.
Failure misread(Error error);

template <class Order>
Result<Order> read_order(const Host& host, const char* options,
                         std::initializer_list<Given> given) {
  HONE_TRY(const Json document, read_options(options, given));
  Result<Order> order = from_json<Order>(document);
  if (!order) return misread(std::move(order).error());
  if constexpr (requires { order->where; }) order->where.host = host;
  if constexpr (requires { order->host; }) order->host = host;
  return order;
}

}  // namespace hone::api
