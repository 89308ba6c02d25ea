#include "inspect/eval/glyphs.h"

#define STB_TRUETYPE_IMPLEMENTATION
#define STBTT_STATIC
#include <stb/stb_truetype.h>

#include <algorithm>
#include <cmath>

namespace hone {

struct Font::State {
  std::string bytes;
  stbtt_fontinfo info{};
};

namespace {

// Where each letter starts, and where the text ends, in pixels.
struct Layout {
  std::vector<float> starts;
  float end = 0;
};

Layout lay_out(const stbtt_fontinfo& font, std::string_view text, float scale) {
  Layout layout;
  float at = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    layout.starts.push_back(at);
    int advance = 0;
    int bearing = 0;
    stbtt_GetCodepointHMetrics(&font, text[i], &advance, &bearing);
    if (i + 1 < text.size()) advance += stbtt_GetCodepointKernAdvance(&font, text[i], text[i + 1]);
    at += scale * static_cast<float>(advance);
  }
  layout.end = at;
  return layout;
}

struct Box {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
};

// Ink adds up where letters touch, and stops at black.
void add_ink(Coverage& canvas, const std::vector<unsigned char>& glyph, const Box& box) {
  const int width = box.right - box.left;
  for (int y = std::max(0, box.top); y < std::min(static_cast<int>(canvas.height), box.bottom);
       ++y) {
    for (int x = std::max(0, box.left); x < std::min(static_cast<int>(canvas.width), box.right);
         ++x) {
      unsigned char& pixel =
          canvas.ink[static_cast<std::size_t>(y) * canvas.width + static_cast<std::size_t>(x)];
      const int sum = pixel + glyph[static_cast<std::size_t>((y - box.top) * width + x - box.left)];
      pixel = static_cast<unsigned char>(std::min(255, sum));
    }
  }
}

void draw_letter(const stbtt_fontinfo& font, char letter, float scale, float x, int baseline,
                 Coverage& canvas) {
  const float whole = std::floor(x);
  const float part = x - whole;
  Box box;
  stbtt_GetCodepointBitmapBoxSubpixel(&font, letter, scale, scale, part, 0, &box.left, &box.top,
                                      &box.right, &box.bottom);
  const int width = box.right - box.left;
  const int height = box.bottom - box.top;
  if (width <= 0 || height <= 0) return;
  std::vector<unsigned char> glyph(static_cast<std::size_t>(width) *
                                   static_cast<std::size_t>(height));
  stbtt_MakeCodepointBitmapSubpixel(&font, glyph.data(), width, height, width, scale, scale, part,
                                    0, letter);
  const int left = static_cast<int>(whole) + box.left;
  add_ink(canvas, glyph, {left, baseline + box.top, left + width, baseline + box.top + height});
}

}  // namespace

Font::Font(std::unique_ptr<State> state) : state_(std::move(state)) {}
Font::Font(Font&&) noexcept = default;
Font& Font::operator=(Font&&) noexcept = default;
Font::~Font() = default;

Result<Font> Font::open(const Path& file) {
  auto state = std::make_unique<State>();
  HONE_TRY(state->bytes, read_file(file, std::uint64_t{64} << 20));
  const auto* bytes = reinterpret_cast<const unsigned char*>(state->bytes.data());
  const int offset = state->bytes.size() < 12 ? -1 : stbtt_GetFontOffsetForIndex(bytes, 0);
  if (offset < 0 || stbtt_InitFont(&state->info, bytes, offset) == 0)
    return fail(Fault::bad_input, "'" + file.string() + "' is no TrueType font");
  return Font(std::move(state));
}

Coverage Font::draw(std::string_view text, double size, std::size_t height,
                    std::size_t margin) const {
  const stbtt_fontinfo& font = state_->info;
  const float scale = stbtt_ScaleForMappingEmToPixels(&font, static_cast<float>(size));
  const Layout layout = lay_out(font, text, scale);
  Coverage canvas;
  canvas.width = static_cast<std::size_t>(std::ceil(layout.end)) + 2 * margin;
  canvas.height = height;
  canvas.ink.resize(canvas.width * canvas.height);
  int ascent = 0;
  int descent = 0;
  int gap = 0;
  stbtt_GetFontVMetrics(&font, &ascent, &descent, &gap);
  // The middle between the highest and the lowest a letter reaches is the middle of the rows.
  const float reach = scale * static_cast<float>(ascent + descent);
  const auto baseline = static_cast<int>(std::lround((static_cast<float>(height) + reach) / 2));
  for (std::size_t i = 0; i < text.size(); ++i) {
    draw_letter(font, text[i], scale, static_cast<float>(margin) + layout.starts[i], baseline,
                canvas);
  }
  return canvas;
}

}  // namespace hone
