#pragma once
// What the subcommands write: lines on the two standard streams, and files in one go.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"

namespace sojourn {

/// On standard error: "sojourn: " and the message, in one line that is fit for a terminal whatever
/// foreign text is in it.
void complain(std::string_view message);
/// The same for what does not change the exit status.
void warn(std::string_view message);

/// On standard output, at once.  fmt::print would throw where this only remembers, for
/// flush_output().
void say_text(std::string_view text);
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  say_text(fmt::format(format, std::forward<Values>(values)...));
}

/// Whether all that was said has arrived.
Result<void> flush_output();

/// "-" is standard output.
Result<void> write_file(const std::string& path, std::string_view text);

/// With all the folders above it; fine if it is there already.
Result<void> make_folder(const std::string& path);

}  // namespace sojourn
