#pragma once
// For tests: the project's recorded captures, and their packets.

#include <sojourn/types.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace sojourn::test {

inline std::string folder() { return SOJOURN_CAPTURES "/"; }
inline std::string demo() { return folder() + "demo.pcapng"; }

inline std::string contents(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// Of a pcap file in this machine's byte order; they borrow its bytes.
inline std::vector<v0::Packet> packets_of(const std::string& pcap) {
  const auto word = [&](std::size_t at) {
    std::uint32_t value;
    std::memcpy(&value, pcap.data() + at, sizeof value);
    return value;
  };
  const bool nanoseconds = word(0) == 0xa1b23c4d;
  std::vector<v0::Packet> packets;
  for (std::size_t at = 24; at + 16 <= pcap.size(); at += 16 + word(at + 8)) {
    v0::Packet packet;
    packet.time_ns = word(at) * 1'000'000'000ll + word(at + 4) * (nanoseconds ? 1ll : 1000ll);
    packet.data = pcap.data() + at + 16;
    packet.captured = word(at + 8);
    packet.length = word(at + 12);
    packet.link_type = static_cast<std::uint16_t>(word(20));
    packets.push_back(packet);
  }
  return packets;
}

}  // namespace sojourn::test
