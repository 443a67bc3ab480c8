#include "export/csv_field.h"

#include "core/printable.h"

namespace sojourn {
namespace {

/// Two names of 255 bytes, each byte as \x00, are shorter.
constexpr std::size_t longest_shown = 10'000;

}  // namespace

std::string csv_field(std::string_view text) {
  std::string field = printable(text, longest_shown);
  if (field.find_first_of(",\"") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace sojourn
