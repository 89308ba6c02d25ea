#pragma once
// The tables of the documentation that list what there is of a kind, as the program's own tables
// have it. In a page, such a table stands between "<!-- table: NAME -->" and "<!-- end of NAME
// -->".

#include <string>
#include <string_view>
#include <vector>

namespace hone {

struct DocTable {
  std::string_view name;
  std::string_view page;  // "docs/eps.md"
  std::string text;       // all of its lines
};

std::vector<DocTable> doc_tables();

// The page with the table in its place; empty where the page has no place for it.
std::string with_table(const std::string& page, const DocTable& table);

}  // namespace hone
