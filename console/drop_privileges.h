#pragma once
// A program that listens to the network needs no rights except to its own files.

#include <string>

#include "core/result.h"

namespace sojourn {

/// Becomes `user` if one is named, drops all capabilities, and can never regain any.  Root without
/// capabilities still owns root's files, but has no other rights.
Result<void> drop_privileges(const std::string& user);

}  // namespace sojourn
