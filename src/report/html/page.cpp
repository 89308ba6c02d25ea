#include "report/html/page.h"

#include <algorithm>

#include "base/hash.h"

namespace hone {
namespace {

std::string_view file_named(std::string_view name) {
  const auto files = embedded_web();
  const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
  HONE_CHECK(found != files.end());
  return found->text;
}

Html contents(const std::vector<PageSection>& sections) {
  Html items;
  for (const PageSection& section : sections)
    items +=
        element("li", element("a", {{"href", "#" + std::string(section.id)}}, section.heading));
  return element("nav", {{"aria-label", "Contents"}}, element("ul", items));
}

Html body(const Page& page) {
  Html main = element("header", page.header + contents(page.sections));
  for (const PageSection& section : page.sections) {
    const std::string id(section.id), heading = id + "-heading";
    main += element("section", {{"id", id}, {"aria-labelledby", heading}},
                    element("h2", {{"id", heading}}, section.heading) + section.inner);
  }
  return element("main", main);
}

Html head(const std::string& title, std::string_view style, std::string_view script) {
  const std::string policy = "default-src 'none'; style-src 'sha256-" + sha256(style).base64() +
                             "'; script-src 'sha256-" + sha256(script).base64() +
                             "'; base-uri 'none'; form-action 'none'";
  return element(
      "head",
      void_element("meta", {{"charset", "utf-8"}}) +
          void_element("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", policy}}) +
          void_element("meta",
                       {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}) +
          void_element("meta", {{"name", "color-scheme"}, {"content", "light dark"}}) +
          element("title", title) + element("style", Html::trusted(style)));
}

}  // namespace

std::string write_page(Page page) {
  std::erase_if(page.sections, [](const PageSection& section) { return section.inner.empty(); });
  std::string style;
  for (const std::string_view name : page.styles) style += file_named(name);
  const std::string_view script = page.script.empty() ? "" : file_named(page.script);
  const Html whole =
      head(page.title, style, script) +
      element("body", body(page) + page.data + element("script", Html::trusted(script)));
  return "<!doctype html>\n" + element("html", {{"lang", "en"}}, whole).code() + "\n";
}

Html fact(std::string_view name, const Html& value) {
  return element("dt", name) + element("dd", value);
}

Html figure(std::string_view name, const Html& value) { return element("div", fact(name, value)); }

}  // namespace hone
