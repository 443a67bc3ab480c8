#pragma once
// One hash for both directions of a conversation, and which endpoint is the sender.

#include <cstddef>
#include <cstdint>

#include "core/choose.h"
#include "core/hash.h"
#include "wire/headers/endian.h"
#include "wire/headers/ipv4.h"

namespace sojourn {

struct FlowHash {
  std::uint64_t flow = 0;
  bool source_is_low = false;  ///< equal endpoints count as low, in both directions
};

/// Which thread handles a flow.  Uses the low bits, because tables take their slot from the high
/// bits.
inline std::size_t shard_of(std::uint64_t flow, std::size_t shards) {
  return (flow & 0xffff) * shards >> 16;
}

/// Orders the two endpoints, so that both directions hash alike, and mixes in the protocol.  An
/// IPv4 endpoint has 48 bits, so protocol and IP version fit above it without loss.
inline FlowHash hash_endpoints(const HashKey& key, std::uint64_t source, std::uint64_t destination,
                               std::uint32_t protocol_and_version) {
  const bool source_is_low = source <= destination;
  const std::uint64_t low = choose(unpredictable(source_is_low), source, destination);
  const std::uint64_t high = source ^ destination ^ low;
  const std::uint64_t mix = static_cast<std::uint64_t>(protocol_and_version) << 48;
  return {keyed_hash(key, low ^ mix, high), source_is_low};
}

inline FlowHash hash_ipv4(const HashKey& key, std::uint32_t source, std::uint32_t destination,
                          std::uint16_t source_port, std::uint16_t destination_port,
                          IpProtocol protocol) {
  const auto endpoint = [](std::uint32_t address, std::uint16_t port) {
    return static_cast<std::uint64_t>(address) << 16 | port;
  };
  return hash_endpoints(key, endpoint(source, source_port), endpoint(destination, destination_port),
                        static_cast<std::uint8_t>(protocol));
}

/// `addresses` are the 32 bytes of an IPv6 header's source and destination.
inline FlowHash hash_ipv6(const HashKey& key, const std::byte* addresses, std::uint16_t source_port,
                          std::uint16_t destination_port, IpProtocol protocol) {
  const auto endpoint = [&key](const std::byte* address, std::uint16_t port) {
    return keyed_hash(key, load_network<std::uint64_t>(address),
                      load_network<std::uint64_t>(address + 8)) ^
           port;
  };
  constexpr std::uint32_t ipv6 = 0x100;
  return hash_endpoints(key, endpoint(addresses, source_port),
                        endpoint(addresses + 16, destination_port),
                        ipv6 | static_cast<std::uint8_t>(protocol));
}

}  // namespace sojourn
