#pragma once
// A part of sojourn-bench-kernel.

namespace sojourn {

/// Gives the exit status: 77 if the kernel does not let us load programs.
int print_reference_costs(int rounds);

}  // namespace sojourn
