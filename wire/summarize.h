#pragma once
// What the pairing rules need of a located packet: TCP, ICMP, and what UDP carries.

#include <optional>

#include "core/hash.h"
#include "wire/summary.h"
#include "wire/walk.h"
#include "wire/wanted.h"

namespace sojourn {

/// Fills `summary` of a packet whose transport was reached, or says why not.
std::optional<Skip> summarize(const LocatedPacket& at, const HashKey& key, const Wanted& wanted,
                              Timestamp time, Summary& summary);

/// From the bytes: locates and summarizes.  The way of every packet that is not on the parser's
/// straight path, and what that must agree with.
std::optional<Skip> summarize(const Packet& packet, const HashKey& key, const Wanted& wanted,
                              Summary& summary);

}  // namespace sojourn
