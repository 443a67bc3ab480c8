#pragma once
// Root is needed only to start.

#include <string>

#include "core/result.h"

namespace sojourn {

/// "needs the capability CAP_NET_RAW: ..." with the setcap(8) command that grants it to this
/// program, for when the kernel refused.  `name` is as in capabilities(7), in lower case and
/// without "CAP_".
std::string missing_capability(const std::string& name);

/// For an error for lack of CAP_BPF and the like: adds the setcap(8) command that grants all that
/// programs in the kernel need.  Other messages are not changed.
std::string with_capability_advice(const std::string& message);

/// Drops root and all capabilities, permanently and for all programs started from here: the user
/// becomes nobody.  Call it once interfaces, programs and files are open, before the first packet
/// is read.
///
/// A process without root and capabilities keeps its user: it has nothing to drop.
Result<void> drop_privileges();

}  // namespace sojourn
