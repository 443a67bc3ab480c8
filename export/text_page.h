#pragma once
// A page of text for people: lines, sections, tables and filled paragraphs.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "export/text_options.h"
#include "export/text_table.h"

namespace sojourn {

/// Fits 80 columns, as far as names allow.
class TextPage {
 public:
  static constexpr std::size_t width = 80;

  explicit TextPage(const TextOptions& options) : options_(options) {}

  void line(std::string_view text) { text_.append(text) += '\n'; }
  void section(std::string_view title) { line("\n" + styled(title, "1")); }
  /// The first line of a table is its head.
  void table(const TextTable& rows);
  /// Words filled into lines; continuation lines are indented.
  void paragraph(std::string_view text, std::string_view indent = "");

  /// In a colour or weight of the terminal ("31" is red), if enabled.
  std::string styled(std::string_view text, std::string_view code) const;
  bool unicode() const { return options_.unicode; }

  std::string take() { return std::move(text_); }
  std::size_t lines() const { return static_cast<std::size_t>(std::ranges::count(text_, '\n')); }

 private:
  TextOptions options_;
  std::string text_;
};

}  // namespace sojourn
