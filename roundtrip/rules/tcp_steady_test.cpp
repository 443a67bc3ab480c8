#include "roundtrip/rules/tcp_steady.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace sojourn {
namespace {

/// Numbers from a small range, so that everything happens: segments repeat, overlap and run ahead,
/// acknowledgments come twice, too early and for nothing, windows close, connections start anew.
Summary random_packet(std::mt19937_64& random, std::uint64_t index) {
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };
  Summary packet;
  packet.content = Content::tcp;
  packet.time = timestamp_from_ns(static_cast<std::int64_t>(index) * 1'000);
  packet.flow = (below(3) + 1) * 0x9e3779b97f4a7c15u;
  packet.source_is_low = below(2) == 0;
  packet.source_port = packet.source_is_low ? 443 : 50'000;
  packet.destination_port = packet.source_is_low ? 50'000 : 443;
  packet.sequence = 0xffffff00u + below(40) * 100;
  packet.acknowledgment = 0xffffff00u + below(40) * 100;
  packet.payload = below(2) * 100;
  packet.payload_offset = 40;
  packet.tcp_flags = tcp_ack;
  if (below(50) == 0) packet.tcp_flags = static_cast<std::uint8_t>(below(32));
  packet.window = static_cast<std::uint16_t>(below(30) == 0 ? 0 : 1'000);
  packet.first_fragment = below(100) == 0;
  packet.has_timestamps = below(4) != 0;
  packet.ts_value = 0xfffffff0u + below(40);
  packet.ts_echo = 0xfffffff0u + below(40);
  return packet;
}

TEST(TcpSteady, ShortcutAndLongWaySayTheSame) {
  const HashKey key = HashKey::from_seed(1);
  for (const std::uint32_t full_size : {0u, 140u, 141u}) {
    PairingOptions options;
    options.full_size = full_size;
    TcpRules shortcut{key, options}, long_way{key, options};
    std::mt19937_64 random{20'261'115};
    std::array<PairEvent, TcpRules::most_events> first{}, second{};
    std::size_t steady = 0;
    for (std::uint32_t i = 0; i < 200'000; ++i) {
      const Summary packet = random_packet(random, i);
      const auto found = std::span{first.data(), shortcut.apply(packet, i, first.data())};
      const auto expected =
          std::span{second.data(), long_way.apply_the_long_way(packet, i, second.data())};
      ASSERT_EQ(found.size(), expected.size()) << "packet " << i;
      for (std::size_t k = 0; k < found.size(); ++k) {
        ASSERT_EQ(found[k].key, expected[k].key) << "packet " << i;
        ASSERT_EQ(found[k].time, expected[k].time);
        ASSERT_EQ(found[k].summary, expected[k].summary);
        ASSERT_EQ(found[k].kind, expected[k].kind);
        ASSERT_EQ(found[k].is_request, expected[k].is_request);
        ASSERT_EQ(found[k].flags, expected[k].flags) << "packet " << i;
        if (!found[k].is_request) {
          ASSERT_EQ(found[k].leg, expected[k].leg) << "packet " << i;
        }
      }
      steady += packet.tcp_flags == tcp_ack && packet.window != 0 && found.size() == 1;
    }
    EXPECT_GT(steady, 20'000u);
  }
}

}  // namespace
}  // namespace sojourn
