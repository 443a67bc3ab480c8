#pragma once
// Text that comes from outside, made fit to be shown.

#include <cstddef>
#include <string>
#include <string_view>

namespace sojourn {

/// A foreign text (the name of a file, a field of a record) as it may stand on a terminal, in a
/// picture or on a page: valid UTF-8 in one line, without anything that a terminal obeys.
///
/// Control characters, C1 included, bytes that are no UTF-8 (RFC 3629), and characters that reverse
/// the direction of writing (Unicode Bidirectional Algorithm, section 2) or that XML does not allow
/// are written as \x1b or \u202e.  What is longer than `longest` characters loses its middle to
/// "...": a path is told by both of its ends.
std::string printable(std::string_view text, std::size_t longest = 200);

}  // namespace sojourn
