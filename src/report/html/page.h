#pragma once
// What all pages are made of: one HTML file that needs no other, with sections and their contents.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_file.h"
#include "report/html/html.h"

namespace hone {

// The styles and the scripts of the pages, web/.
std::span<const EmbeddedFile> embedded_web();

struct PageSection {
  std::string_view id;
  std::string_view heading;
  Html inner;  // empty: the page has no such section
};

struct Page {
  std::string title;
  Html header;  // a heading, and what stands under it
  std::vector<PageSection> sections;
  Html data;                             // behind all sections
  std::vector<std::string_view> styles;  // files of web/, by name
  std::string_view script;               // likewise; empty: none
};

// Asks for nothing outside of itself: its policy allows its own style and script by their hashes,
// and nothing else.
std::string write_page(Page page);

// A name and its value in a <dl>.
Html fact(std::string_view name, const Html& value);
// The name above its value.
Html figure(std::string_view name, const Html& value);

}  // namespace hone
