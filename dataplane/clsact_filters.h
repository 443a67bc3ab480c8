#pragma once
// Whether anybody has filters below an interface's clsact qdisc.

namespace sojourn {

/// Of any kind and owner, in either direction.  Asks the kernel itself (RTM_GETTFILTER); if it does
/// not answer, there may be some.
bool has_clsact_filters(int interface_index);

}  // namespace sojourn
