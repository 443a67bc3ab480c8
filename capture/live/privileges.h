#pragma once
// Root is needed only to start.

#include <string>

#include "core/result.h"

namespace sojourn {

/// "needs root or the capability CAP_NET_RAW", for when the kernel refused.  It says no more than
/// that: in a library the process may be an interpreter, and granting it the capability would grant
/// it to every script.
std::string missing_capability(const std::string& name);

/// For a program of our own: adds the setcap(8) command that grants the missing capability:
/// CAP_NET_RAW, or CAP_BPF and the others that programs in the kernel need.  Other messages are not
/// changed.
std::string with_capability_advice(const std::string& message);

/// Drops root and all capabilities, permanently and for all programs started from here: the user
/// becomes nobody.  Call it once interfaces, programs and files are open, before the first packet
/// is read.
///
/// A process without root and capabilities keeps its user: it has nothing to drop.
Result<void> drop_privileges();

}  // namespace sojourn
