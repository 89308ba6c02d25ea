// Writes the pages that the browser's tests open: write_pages FOLDER.

#include <filesystem>
#include <fstream>
#include <iostream>

#include "report/search/search_html.h"
#include "report/search/searches_for_tests.h"
#include "report/support/bundles_for_tests.h"
#include "report/support/support_html.h"
#include "report/sweep/sweep_html.h"
#include "report/sweep/sweeps_for_tests.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_pages FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const std::pair<const char*, std::string> pages[] = {
      {"won.html", hone::search_page(hone::won_search(), hone::traces_of_won_search())},
      {"null.html", hone::search_page(hone::null_search())},
      {"blocked.html", hone::search_page(hone::blocked_search())},
      {"hostile.html", hone::search_page(hone::hostile_search(), hone::traces_of_won_search())},
      {"bundle.html", hone::bundle_page(hone::shown_bundle())},
      {"bundle-hostile.html", hone::bundle_page(hone::hostile_bundle())},
      {"sweep.html", hone::sweep_page(hone::mixed_sweep())},
      {"sweep-hostile.html", hone::sweep_page(hone::hostile_sweep())},
      {"sweep-wide.html", hone::sweep_page(hone::wide_sweep())},
  };
  for (const auto& [name, text] : pages) {
    std::ofstream file(folder / name, std::ios::binary);
    file << text;
    if (!file.flush()) {
      std::cerr << "cannot write " << folder / name << "\n";
      return 1;
    }
  }
  return 0;
}
