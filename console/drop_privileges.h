#pragma once
// A program that listens to strangers needs no rights but its own files.

#include <string>

#include "core/result.h"

namespace sojourn {

/// Becomes `user` if one is named, gives up all capabilities, and can never gain any again.  Root
/// without capabilities still owns root's files, but no more than that.
Result<void> drop_privileges(const std::string& user);

}  // namespace sojourn
