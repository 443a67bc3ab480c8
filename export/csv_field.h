#pragma once
// A field of a CSV file that may hold foreign text.

#include <string>
#include <string_view>

namespace sojourn {

/// The text, printable (core/printable.h) and therefore in one line, and in quotation marks if it
/// needs them (RFC 4180, section 2).
std::string csv_field(std::string_view text);

}  // namespace sojourn
