// What tools/tokenizers runs beside the published library: every line of a file tokenized.
//   tokenizer_lines TOKENIZER LINES        prints ids, offsets, words and types of each
//   tokenizer_lines TOKENIZER LINES time   prints how many seconds the fastest of five rounds took
// In LINES \n, \r and \\ stand for what they do in C. Each 97th line is a pair with another one,
// each 31st is decoded again.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "tokenize/tokenizer.h"

namespace {

using namespace hone;
using namespace hone::tokenize;

std::string unescaped(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_escape = line[i] == '\\' && i + 1 < line.size();
    const char c = is_escape ? line[++i] : line[i];
    text += is_escape && c == 'n' ? '\n' : is_escape && c == 'r' ? '\r' : c;
  }
  return text;
}

void print(const Result<Encoding>& made, std::string& out) {
  if (!made) {
    out += "error\n";
    return;
  }
  for (const std::uint32_t id : made->ids) out += std::to_string(id) + ' ';
  out += '|';
  for (const Span& span : made->characters) {
    out += std::to_string(span.begin) + ',' + std::to_string(span.end) + ' ';
  }
  out += '|';
  for (const std::int32_t word : made->words) out += (word < 0 ? "-" : std::to_string(word)) + ' ';
  out += '|';
  for (const std::uint32_t type : made->type_ids) out += std::to_string(type);
  out += '\n';
  for (const Encoding& window : made->overflowing) {
    out += '+';
    print(window, out);
  }
}

void print_all(const Tokenizer& tokenizer, const std::vector<std::string>& texts) {
  std::string out;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto made = tokenizer.encode(texts[i]);
    print(made, out);
    if (i % 97 == 0) print(tokenizer.encode_pair(texts[i], texts[(i * 7 + 3) % texts.size()]), out);
    if (i % 31 != 0 || !made) continue;
    out += "d ";
    for (const char c : tokenizer.decode(made->ids, i % 2 == 0)) {
      out += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    out += '\n';
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
}

void print_time(const Tokenizer& tokenizer, const std::vector<std::string>& texts) {
  double best = 1e9;
  std::size_t tokens = 0;
  for (int round = 0; round < 5; ++round) {
    tokens = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (const std::string& text : texts) {
      if (const auto made = tokenizer.encode(text)) tokens += made->size();
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count());
  }
  std::printf("%.6f %zu\n", best, tokens);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "tokenizer_lines TOKENIZER LINES [time]\n");
    return 2;
  }
  const auto tokenizer = load_tokenizer(argv[1]);
  const auto file = read_file(argv[2]);
  if (!tokenizer || !file) {
    const Error& error = tokenizer ? file.error() : tokenizer.error();
    std::fprintf(stderr, "%s: %s\n", error.what.c_str(), error.cause.c_str());
    return 1;
  }
  std::vector<std::string> texts;
  for (const std::string& line : split(*file, '\n')) texts.push_back(unescaped(line));
  if (!texts.empty() && texts.back().empty()) texts.pop_back();
  if (argc > 3) {
    print_time(*tokenizer, texts);
  } else {
    print_all(*tokenizer, texts);
  }
  return 0;
}
