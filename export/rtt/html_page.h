#pragma once
// The parts of HTML pages: sections, tables and pictures, with all text escaped.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sojourn {

class HtmlPage {
 public:
  explicit HtmlPage(std::string_view title);

  void heading(std::string_view text);
  void paragraph(std::string_view text);
  /// A highlighted line: a warning, or the answer to the question.
  void note(std::string_view text, bool is_warning = false);
  /// The first row is the head.  Columns from `numbers_from` to before `numbers_to` are
  /// right-aligned.
  void table(const std::vector<std::vector<std::string>>& rows, std::size_t numbers_from,
             std::size_t numbers_to);
  /// An SVG that we have generated ourselves.
  void picture(std::string_view svg);

  std::string finish() &&;

 private:
  std::string text_;
};

}  // namespace sojourn
