#pragma once
// The second part of sojourn-bench-kernel.

namespace sojourn {

/// A line for each duty and number of flows; 77 if the kernel does not let us.
int print_marking_costs(int rounds);

}  // namespace sojourn
