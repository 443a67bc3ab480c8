#pragma once
// What the subcommands write: lines on the two standard streams, and files in one go.

#include <string>
#include <string_view>

#include "core/result.h"

namespace sojourn {

class RunFiles;

/// On standard error: "sojourn: " and the message, in one line that is safe for a terminal whatever
/// foreign text it contains.
void complain(std::string_view message);
/// The same for messages that do not change the exit status.
void warn(std::string_view message);

/// Standard output becomes one of the run's files: it may be neither an input nor another output,
/// as with `>> capture.pcap`.  Call it before say_text().
Result<void> open_output(RunFiles& files);

/// On standard output, at once.  fmt::print would throw on an error; this records it for
/// flush_output().  Results come as text from export/.
void say_text(std::string_view text);
/// The same on standard error, where standard output belongs to a file of the run.
void say_text_aside(std::string_view text);

/// Whether all output was written.
Result<void> flush_output();

/// In one go, as one of the run's files.
Result<void> write_file(RunFiles& files, const std::string& path, std::string_view text);

/// With all its parent folders; no error if it exists.
Result<void> make_folder(const std::string& path);

}  // namespace sojourn
