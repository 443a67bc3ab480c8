#include "export/text_page.h"

#include <fmt/format.h>

namespace sojourn {

void TextPage::table(const TextTable& rows) {
  const auto lines = rows.lines(width);
  for (std::size_t i = 0; i < lines.size(); ++i) line(i == 0 ? styled(lines[i], "2") : lines[i]);
}

void TextPage::paragraph(std::string_view text, std::string_view indent) {
  for (const std::string& filled : wrapped(text, width, indent)) line(filled);
}

std::string TextPage::styled(std::string_view text, std::string_view code) const {
  return options_.color ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string{text};
}

}  // namespace sojourn
