#pragma once
// The key that a request and its response share.

#include <cstdint>

#include "core/hash.h"
#include "core/kind.h"

namespace sojourn {

/// Key of a request sent by the endpoint `requester` (0: the lower one in the order of
/// Summary::flow, 1: the higher).  `leg` separates requests that share kind and token, such as the
/// three spans of a handshake.
///
/// The flow is itself a keyed 64-bit hash, so that no table stores or compares addresses.  The
/// probability that two different keys collide is 2^-60 per comparison.
inline std::uint64_t pair_key(const HashKey& hash_key, std::uint64_t flow, std::uint64_t token,
                              Kind kind, unsigned requester, Leg leg = Leg::server) {
  const std::uint64_t salt = (index_of(kind) << 4 | index_of(leg) << 1 | requester) + 1;
  return keyed_hash(hash_key, flow + salt * 0x9e3779b97f4a7c15u, token);
}

}  // namespace sojourn
