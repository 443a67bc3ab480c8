#include "core/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sojourn {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  ///< 0: the text does not begin with a character of UTF-8
};

/// RFC 3629, section 4: no surrogates, nothing above U+10FFFF, and each character in its shortest
/// form.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  std::uint32_t code = lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return {code, length};
}

bool harmless(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return false;       // C0, DEL, C1
  if (code == 0x061c || code == 0x200e || code == 0x200f) return false;  // marks of direction
  if (code >= 0x2028 && code <= 0x202e) return false;  // line separators, embeddings, overrides
  if (code >= 0x2066 && code <= 0x2069) return false;  // isolates
  return code != 0xfeff && (code & 0xfffe) != 0xfffe;  // byte order mark, no characters at all
}

/// The printable form of the first character or byte of `text`, which is removed from it.
std::string take_one(std::string_view& text) {
  const Character character = first_character(text);
  const std::string_view taken = text.substr(0, std::max<std::size_t>(character.bytes, 1));
  text.remove_prefix(taken.size());
  if (character.bytes > 0 && harmless(character.code)) return std::string{taken};
  if (character.bytes <= 1)
    return fmt::format("\\x{:02x}", static_cast<unsigned char>(taken.front()));
  return fmt::format("\\u{:04x}", character.code);
}

std::size_t shown_width(const std::string& piece) {
  return static_cast<unsigned char>(piece.front()) >= 0x80 ? 1 : piece.size();
}

std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> pieces;
  while (!text.empty()) pieces.push_back(take_one(text));
  return pieces;
}

}  // namespace

std::string printable(std::string_view text, std::size_t longest) {
  // Only both ends of a very long text are processed; a character has at most four bytes.
  const std::size_t at_each_end = 4 * (longest + 1);
  std::string ends;
  if (text.size() > 2 * at_each_end) {
    ends.append(text.substr(0, at_each_end)).append(text.substr(text.size() - at_each_end));
    text = ends;
  }
  const auto pieces = pieces_of(text);
  std::size_t width = 0;
  for (const std::string& piece : pieces) width += shown_width(piece);
  std::string result;
  if (width <= longest && ends.empty()) {
    for (const std::string& piece : pieces) result += piece;
    return result;
  }
  constexpr std::string_view gap = "...";
  const std::size_t room = longest > gap.size() ? longest - gap.size() : 0;
  std::size_t front = 0, back = pieces.size(), used = 0;
  for (; front < pieces.size() && used + shown_width(pieces[front]) <= room * 2 / 3; ++front)
    used += shown_width(pieces[front]);
  for (; back > front && used + shown_width(pieces[back - 1]) <= room; --back)
    used += shown_width(pieces[back - 1]);
  for (std::size_t i = 0; i < front; ++i) result += pieces[i];
  result += gap;
  for (std::size_t i = back; i < pieces.size(); ++i) result += pieces[i];
  return result;
}

}  // namespace sojourn
