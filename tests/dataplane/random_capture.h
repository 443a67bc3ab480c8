#pragma once
// An artificial capture: every case that the pairing rules distinguish, often and at random.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/packet.h"

namespace sojourn {

/// Few connections and many anomalies: copies, late and lost segments, super-packets, zero windows,
/// reused ports, connections without a SYN, repeated queries, pauses longer than any timeout.  The
/// frames are appended to `bytes`, their offsets to `offsets`; the caller sets `data`.
std::vector<Packet> random_packets(std::uint64_t seed, std::size_t count,
                                   std::vector<std::byte>& bytes,
                                   std::vector<std::size_t>& offsets);

}  // namespace sojourn
