#pragma once
// The tunnel that a packet came through, for people and for --by tunnel.

#include <functional>
#include <string>

#include "core/address.h"
#include "wire/summary.h"

namespace sojourn {

/// "vxlan 5000 192.0.2.1 - 192.0.2.2": the outermost tunnel's kind, its identifier if it is the
/// same in both directions (VXLAN, Geneve, GRE's key), and its two ends.  The lower address comes
/// first, so that both directions have one name.  Empty without a tunnel, which means IP in IP:
/// tags, labels and sessions below IP do not count.  Summary::origin must be a distance.
/// `shown`, if given, maps the address of an end to the one to show.
std::string tunnel_name(const Summary& packet,
                        const std::function<IpAddress(const IpAddress&)>& shown = {});

}  // namespace sojourn
