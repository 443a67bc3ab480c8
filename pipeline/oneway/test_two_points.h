#pragma once
// For tests: the same traffic at two points, with delays and losses that are known.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/test_source.h"

namespace sojourn::test {

inline constexpr std::int64_t two_points_start_ns = 1'700'000'000'000'000'000;

/// Packets every 100 us in eight flows; each takes 5 ms and up to 30 us more, and every fiftieth is
/// lost.  `offset_ns` is how far the last point's clock is ahead.
struct TestTwoPoints {
  std::vector<StoredPacket> first, last;
  std::uint64_t lost = 0;

  explicit TestTwoPoints(std::uint32_t packets = 2'000, std::int64_t offset_ns = 0,
                         std::uint32_t first_id = 1) {
    for (std::uint32_t i = 0; i < packets; ++i) {
      Ends ends;
      ends.source_port = static_cast<std::uint16_t>(1000 + i % 8);
      const Bytes frame = ethernet(
          EtherType::ipv4,
          ipv4(ends, IpProtocol::udp, udp(ends.source_port, 9, bytes_of(Be32{first_id + i}))));
      const std::int64_t sent_ns = two_points_start_ns + i * std::int64_t{100'000};
      first.push_back({sent_ns, frame});
      if (i % 50 == 25)
        ++lost;
      else
        last.push_back({sent_ns + 5'000'000 + i % 31 * 1'000 + offset_ns, frame});
    }
  }
};

inline std::vector<Packet> packets_of(std::span<const StoredPacket> stored) {
  std::vector<Packet> packets;
  for (const StoredPacket& one : stored) {
    packets.push_back(packet_of(one.bytes));
    packets.back().time = timestamp_from_ns(one.time_ns);
  }
  return packets;
}

inline std::uint64_t counter_of(std::span<const std::pair<std::string, std::uint64_t>> counters,
                                std::string_view name) {
  for (const auto& [known, count] : counters)
    if (known == name) return count;
  return 0;
}

}  // namespace sojourn::test
