// The best recipe for this machine's CPU:  search MODEL FOLDER [SECONDS]
// Says how far it is, and stops by itself when the time is over: what is known then is told, and
// the same command goes on from there.
#include <chrono>
#include <filesystem>
#include <hone/hone.hpp>
#include <iostream>

namespace {

void tell(const hone::Result& result) {
  const std::string champion = result.text("/champion");
  std::cout << "champion: " << (champion.empty() ? "the model as it is" : champion) << "\n"
            << "arms: " << result.count("/arms") << "\n"
            << result.text("/verdict") << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: search MODEL FOLDER [SECONDS]\n";
    return HONE_MISUSE;
  }
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(argc > 3 ? std::stoi(argv[3]) : 60);
  hone::Watch watch;
  watch.progress = [end](const std::string& doing, std::uint64_t done, std::uint64_t total) {
    std::cerr << doing;
    if (total > 0) std::cerr << ", " << done << " of " << total;
    std::cerr << "\n";
    return std::chrono::steady_clock::now() < end;
  };
  const bool was_here = std::filesystem::exists(std::filesystem::path(argv[2]) / "journal.db");
  try {
    const hone::Model model(hone::Context(), argv[1]);
    tell(model.search(argv[2], was_here ? R"({"resumes": true})" : "", watch));
  } catch (const hone::Error& error) {
    if (error.code() == HONE_STOPPED && error.result()) tell(error.result());
    std::cerr << error.what();
    return error.code();
  }
}
