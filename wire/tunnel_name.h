#pragma once
// Which tunnel a packet came through, for people and for --by tunnel.

#include <string>

#include "wire/summary.h"

namespace sojourn {

/// "vxlan 5000 192.0.2.1 - 192.0.2.2": the outermost tunnel's kind, its identifier where both
/// directions have the same (VXLAN, Geneve, GRE's key), and its two ends, the lower address first,
/// so that both directions have one name.  Empty without a tunnel, which is a packet in an IP
/// packet: tags, labels and sessions below IP are none.  Summary::origin must be a distance.
std::string tunnel_name(const Summary& packet);

}  // namespace sojourn
