#pragma once
// Flow keys and packets for tests, from small numbers.

#include <array>
#include <cstdint>

#include "core/hash.h"
#include "oneway/observed_packet.h"

namespace sojourn {

/// 10.x.y.z:port -> 10.0.0.1:443 over TCP, one per number.
inline FlowKey test_flow_key(std::uint32_t number) {
  const auto octet = [number](int shift) { return static_cast<std::byte>(number >> shift); };
  const std::array<std::byte, 4> source{std::byte{10}, octet(16), octet(8), octet(0)};
  const std::array<std::byte, 4> destination{std::byte{10}, std::byte{0}, std::byte{0},
                                             std::byte{1}};
  return {IpAddress::v4(source), IpAddress::v4(destination),
          static_cast<std::uint16_t>(1024 + (number >> 24)), 443, 6};
}

inline Timestamp test_time(Duration since) {
  return timestamp_from_ns(1'700'000'000'000'000'000) + since;
}

inline ObservedPacket test_packet(std::uint32_t flow, Duration since, std::uint32_t label = 0,
                                  std::uint32_t bytes = 100, std::uint8_t tcp_flags = 0) {
  std::uint64_t state = flow;
  return {test_flow_key(flow), split_mix(state), test_time(since), bytes, label, tcp_flags};
}

}  // namespace sojourn
