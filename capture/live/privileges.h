#pragma once
// Root is needed to begin, not to go on.

#include <string>

#include "core/result.h"

namespace sojourn {

/// "needs the capability CAP_NET_RAW: ..." with the line of setcap(8) that grants it to this
/// program, for when the kernel refused.  `name` is as in capabilities(7), in lower case and
/// without "CAP_".
std::string missing_capability(const std::string& name);

/// Gives up root and all capabilities, for good and for all programs started from here: the user
/// becomes nobody.  To be called once interfaces, programs and files are open, before the first
/// packet of a stranger is looked at.
///
/// A process without root and without capabilities keeps its user: it has nothing to give up.
Result<void> drop_privileges();

}  // namespace sojourn
