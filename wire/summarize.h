#pragma once
// What the pairing rules need of a located packet: TCP, ICMP, and what UDP carries.

#include <optional>

#include "core/hash.h"
#include "wire/summary.h"
#include "wire/walk.h"
#include "wire/wanted.h"

namespace sojourn {

/// Fills in `summary` for a packet whose transport was reached, or says why not.
std::optional<Skip> summarize(const LocatedPacket& at, const HashKey& key, const Wanted& wanted,
                              Timestamp time, Summary& summary);

/// Locates and summarizes.  Used for every packet that the parser's fast path does not accept; the
/// fast path must agree with it.
std::optional<Skip> summarize(const Packet& packet, const HashKey& key, const Wanted& wanted,
                              Summary& summary);

}  // namespace sojourn
