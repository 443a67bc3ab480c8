#pragma once
// Text from outside, made safe to print.

#include <cstddef>
#include <string>
#include <string_view>

namespace sojourn {

/// An untrusted text (a file name, a field of a record) in a form that is safe on a terminal, in a
/// picture or on a page: valid UTF-8 in one line, without terminal control sequences.
///
/// These are written as \x1b or \u202e: control characters including C1, bytes that are not UTF-8
/// (RFC 3629), characters that reverse the direction of writing (Unicode Bidirectional Algorithm,
/// section 2), and characters that XML does not allow.  In a text longer than `longest` characters
/// the middle is replaced by "...": both ends identify a path.
std::string printable(std::string_view text, std::size_t longest = 200);

}  // namespace sojourn
