#pragma once
// One direction of a conversation: the source, the destination and the protocol.

#include <compare>
#include <cstddef>
#include <cstdint>

#include "core/address.h"
#include "core/hash.h"

namespace sojourn {

/// The 5-tuple as it stands on the wire.  Ports are 0 where the protocol has none, and in fragments
/// other than the first.
struct FlowKey {
  IpAddress source;
  IpAddress destination;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t protocol = 0;  ///< IANA number: 6 TCP, 17 UDP, ...

  /// The other direction.
  FlowKey reversed() const {
    return {destination, source, destination_port, source_port, protocol};
  }

  friend auto operator<=>(const FlowKey&, const FlowKey&) = default;
};

/// For hash tables that hold whole keys.  Packets are hashed by a faster function
/// (wire/ip_packet.h).
struct FlowKeyHash {
  HashKey key = HashKey::from_seed(0);

  std::size_t operator()(const FlowKey& flow) const {
    std::uint64_t hash = static_cast<std::uint64_t>(flow.source_port) << 32 |
                         static_cast<std::uint64_t>(flow.destination_port) << 16 | flow.protocol;
    for (const IpAddress* address : {&flow.source, &flow.destination}) {
      std::uint64_t word = 0;
      for (const std::uint8_t byte : address->bytes()) {
        hash = keyed_hash(key, hash, word);
        word = byte;
      }
      hash = keyed_hash(key, hash, word);
    }
    return hash;
  }
};

}  // namespace sojourn
