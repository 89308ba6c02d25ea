#include "catalog/oci/tags.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace hone::oci {
namespace {

constexpr std::string_view page_query = "tags/list?n=1000";

Failure no_list(std::string why) {
  return fail(Fault::runtime, "cannot list what is in the repository", std::move(why));
}

class TagList {
 public:
  TagList(std::string_view prefix, const TagLimits& limits) : prefix_(prefix), limits_(limits) {}

  Status add(const std::string& body) {
    if (++pages_ > limits_.pages) return no_list("the list has no end");
    bytes_ += body.size();
    if (bytes_ > limits_.all_bytes)
      return no_list("the list is longer than " + format_bytes(limits_.all_bytes));
    // Before it is parsed: what is two bytes in a list is many times that in memory.
    tags_ += static_cast<std::uint64_t>(std::ranges::count(body, ','));
    if (tags_ > limits_.tags)
      return no_list("there are more than " + format_count(limits_.tags) + " tags");
    return add_tags(body);
  }

  std::vector<std::string> take() { return std::move(found_); }

 private:
  Status add_tags(const std::string& text) {
    const auto body = Json::parse(text);
    if (!body || body->as_object() == nullptr) return no_list("the answer is no JSON object");
    const Json* list = body->find("tags");
    // A repository whose last tag was deleted says null.
    if (list != nullptr && list->is_null()) return done();
    if (list == nullptr || list->as_array() == nullptr) return no_list("the answer has no tags");
    for (const Json& tag : *list->as_array()) {
      if (tag.as_string() == nullptr || !is_tag(*tag.as_string()))
        return no_list("what it lists is no tag");
      if (tag.as_string()->starts_with(prefix_)) found_.push_back(*tag.as_string());
    }
    return done();
  }

  std::string_view prefix_;
  const TagLimits& limits_;
  int pages_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t tags_ = 0;
  std::vector<std::string> found_;
};

}  // namespace

Result<std::vector<std::string>> list_tags(Registry& registry, std::string_view prefix,
                                           const TagLimits& limits) {
  TagList list(prefix, limits);
  std::optional<Url> page = registry.url(page_query);
  while (page) {
    HttpRequest request{.url = *page};
    request.most_bytes = limits.page_bytes;
    HONE_TRY(const HttpResponse response, registry.ask(request));
    if (response.status == 404 && error_code(response) == "NAME_UNKNOWN") return list.take();
    if (!response.is_success()) return refused("cannot list what is in the repository", response);
    HONE_TRY_DO(list.add(response.body));
    HONE_TRY(page, next_page(response, *page));
  }
  return list.take();
}

}  // namespace hone::oci
