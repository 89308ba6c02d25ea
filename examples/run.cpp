// A model in this process, on numbers of ours:  run MODEL [SIZE OF OPEN DIMENSIONS]
#include <hone/hone.hpp>
#include <iostream>
#include <numeric>

namespace {

// The shape of an input, with what is open closed.
std::vector<std::int64_t> shape_of(const hone::Result& facts, const std::string& input,
                                   std::int64_t open) {
  std::vector<std::int64_t> shape(facts.count(input + "/shape"));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const double size = facts.number(input + "/shape/" + std::to_string(i));
    shape[i] = size > 0 ? static_cast<std::int64_t>(size) : i == 0 ? 1 : open;
  }
  return shape;
}

void run(const std::string& path, std::int64_t open) {
  const hone::Model model(hone::Context(), path);
  hone::Session session = model.open(R"({"where": {"ep": "cpu", "threads": 1}})");
  const std::string name = session.facts().text("/inputs/0/name");
  const std::vector<std::int64_t> shape = shape_of(session.facts(), "/inputs/0", open);
  std::vector<float> numbers(std::accumulate(
      shape.begin(), shape.end(), std::size_t{1},
      [](std::size_t all, std::int64_t size) { return all * static_cast<std::size_t>(size); }));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 256) / 255;

  const hone::Outputs outputs = session.run({hone::tensor(name, shape, numbers)});
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const hone_tensor& output = outputs.at(i);
    std::cout << output.name << ": " << output.bytes << " bytes";
    const auto* first = static_cast<const float*>(output.data);
    if (output.type == 1 && output.bytes > 0) std::cout << ", the first is " << *first;
    std::cout << "\n";
  }
  std::cout << "runs: " << session.close().number("/runs") << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? argv[1] : "", argc > 2 ? std::stoll(argv[2]) : 1);
  } catch (const hone::Error& error) {
    std::cerr << error.what();
    return error.code();
  }
}
