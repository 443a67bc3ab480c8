#pragma once
// What a run says of itself beside its figures: warnings in its report, and lines when it begins.

#include <string>
#include <string_view>

namespace sojourn {

/// Warnings of reports.
inline constexpr std::string_view interrupted_words =
    "interrupted: this is what was read until then";
inline constexpr std::string_view kinds_outside_kernel_words =
    "kinds flow and quic are not measured in the kernel; --engine socket has them";

/// `sojourn collect` takes connections at this endpoint.
std::string listening_line(std::string_view endpoint);
/// `sojourn watch` has begun.
std::string watching_line(std::string_view interface, std::string_view store);
/// Where people look; `has_page` is false in builds without the page.
std::string page_line(std::string_view address, bool has_page);

}  // namespace sojourn
