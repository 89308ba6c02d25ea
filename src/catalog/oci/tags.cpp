#include "catalog/oci/tags.h"

#include "base/json.h"

namespace hone::oci {
namespace {

// A registry that pages for ever ends here: a million tags.
constexpr int most_pages = 1000;
constexpr std::string_view page_query = "tags/list?n=1000";
// Not every registry pages: some send all they have at once.
constexpr std::uint64_t most_page_bytes = std::uint64_t{64} << 20;

Failure no_list(std::string why) {
  return fail(Fault::runtime, "cannot list what is in the repository", std::move(why));
}

Status add_tags(const HttpResponse& response, std::vector<std::string>& tags) {
  const auto body = Json::parse(response.body);
  if (!body || body->as_object() == nullptr) return no_list("the answer is no JSON object");
  const Json* list = body->find("tags");
  // A repository whose last tag was deleted says null.
  if (list != nullptr && list->is_null()) return done();
  if (list == nullptr || list->as_array() == nullptr) return no_list("the answer has no tags");
  for (const Json& tag : *list->as_array()) {
    if (tag.as_string() == nullptr || !is_tag(*tag.as_string()))
      return no_list("what it lists is no tag");
    tags.push_back(*tag.as_string());
  }
  return done();
}

}  // namespace

Result<std::vector<std::string>> list_tags(Registry& registry) {
  std::vector<std::string> tags;
  std::optional<Url> page = registry.url(page_query);
  for (int i = 0; page; ++i) {
    if (i == most_pages) return no_list("the list has no end");
    HttpRequest request{.url = *page};
    request.most_bytes = most_page_bytes;
    HONE_TRY(const HttpResponse response, registry.ask(request));
    if (response.status == 404 && error_code(response) == "NAME_UNKNOWN") return tags;
    if (!response.is_success()) return refused("cannot list what is in the repository", response);
    HONE_TRY_DO(add_tags(response, tags));
    HONE_TRY(page, next_page(response, *page));
  }
  return tags;
}

}  // namespace hone::oci
