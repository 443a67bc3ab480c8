#pragma once
// How the program ends.

namespace sojourn {

/// What main() returns.
enum ExitStatus : int { exit_ok = 0, exit_error = 1, exit_usage = 2, exit_sla_violated = 3 };

}  // namespace sojourn
