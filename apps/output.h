#pragma once
// Files that the subcommands write in one go.

#include <string>
#include <string_view>

#include "core/result.h"

namespace sojourn {

/// "-" is standard output.
Result<void> write_file(const std::string& path, std::string_view text);

/// With all the folders above it; fine if it is there already.
Result<void> make_folder(const std::string& path);

}  // namespace sojourn
