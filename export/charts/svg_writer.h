#pragma once
// Common parts of the SVG pictures: lines of markup, escaped text, and distinguishable colours.

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "core/printable.h"

namespace sojourn {

/// Okabe and Ito 2008: distinguishable with any colour vision.  Their yellow is left out, as a thin
/// yellow line on white is hard to see.
inline constexpr std::array<std::string_view, 8> plot_colors = {
    "#0072B2", "#D55E00", "#009E73", "#999999", "#CC79A7", "#56B4E9", "#E69F00", "#000000"};

/// Text from any source, escaped for use between tags and in attributes, in SVG and HTML.
inline std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(text, 1000)) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

class SvgWriter {
 public:
  /// A white sheet of this size, with the common text style.
  SvgWriter(double width, double height) {
    put(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}")",
        width, height);
    put(R"( font-family="DejaVu Sans, Verdana, Arial, sans-serif" font-size="13" fill="#222">)");
    put(R"(<rect width="{}" height="{}" fill="white"/>)", width, height);
  }

  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    text_ += '\n';
  }
  void title(double x, const std::string& text) {
    put(R"(<text x="{}" y="26" font-size="17" font-weight="bold">{}</text>)", x, escaped(text));
  }

  std::string finish() && { return std::move(text_) + "</svg>\n"; }

 private:
  std::string text_;
};

}  // namespace sojourn
