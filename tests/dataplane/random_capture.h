#pragma once
// A capture that nobody would send: whatever the rules of pairing tell apart, often and at random.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/packet.h"

namespace sojourn {

/// Few connections and many accidents: copies, late and lost segments, super-packets, zero windows,
/// reused ports, connections without a SYN, queries that are repeated, pauses longer than anybody
/// waits.  The frames are appended to `bytes`, where they begin to `offsets`; `data` is the
/// caller's to set.
std::vector<Packet> random_packets(std::uint64_t seed, std::size_t count,
                                   std::vector<std::byte>& bytes,
                                   std::vector<std::size_t>& offsets);

}  // namespace sojourn
