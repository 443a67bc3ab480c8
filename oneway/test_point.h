#pragma once
// Packets as a point sees them, for tests.

#include <gtest/gtest.h>

#include <vector>

#include "wire/ip_packet.h"
#include "wire/test_packets.h"

namespace sojourn::test {

inline constexpr std::uint64_t point_seed = 7;

/// The innermost IP packet of these bytes, which must outlive it.
inline IpPacket at_point(const Bytes& bytes, LinkType link = LinkType::raw, Timestamp time = {}) {
  IpLocator locator{point_seed};
  const auto size = static_cast<std::uint32_t>(bytes.size());
  const std::vector<Packet> packets = {{time, bytes.data(), size, size, link}};
  std::vector<IpPacket> found(1);
  EXPECT_EQ(locator.locate(packets, found), 1u);
  return found[0];
}

}  // namespace sojourn::test
