#pragma once
// For tests: captures built byte by byte, and a way to read all of one.

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capture/source.h"

namespace sojourn::test {

/// Bytes in a byte order of our choice.
struct Bytes {
  std::vector<std::byte> data;
  bool swapped = false;

  template <std::unsigned_integral Integer>
  Bytes& put(std::type_identity_t<Integer> value) {
    if (swapped) value = std::byteswap(value);
    const auto raw = std::bit_cast<std::array<std::byte, sizeof value>>(value);
    data.insert(data.end(), raw.begin(), raw.end());
    return *this;
  }
  Bytes& u8(std::uint8_t value) { return put<std::uint8_t>(value); }
  Bytes& u16(std::uint16_t value) { return put<std::uint16_t>(value); }
  Bytes& u32(std::uint32_t value) { return put<std::uint32_t>(value); }
  Bytes& u64(std::uint64_t value) { return put<std::uint64_t>(value); }
  /// Bytes 0, 1, 2, ... so that a packet that begins at the wrong place is noticed.
  Bytes& counting(std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) data.push_back(static_cast<std::byte>(i));
    return *this;
  }
  Bytes& append(const Bytes& other) {
    data.insert(data.end(), other.data.begin(), other.data.end());
    return *this;
  }
  std::size_t size() const { return data.size(); }
};

inline constexpr std::uint32_t pcap_us = 0xa1b2c3d4, pcap_ns = 0xa1b23c4d,
                               pcap_kuznetzov = 0xa1b2cd34;

struct PcapWriter : Bytes {
  std::uint32_t magic;

  explicit PcapWriter(std::uint32_t magic_number = pcap_ns, bool swap = false,
                      std::uint32_t link = 1)
      : magic(magic_number) {
    swapped = swap;
    u32(magic).u16(2).u16(4).u32(0).u32(0).u32(65'535).u32(link);
  }
  PcapWriter& packet_header(std::uint32_t seconds, std::uint32_t fraction, std::uint32_t captured,
                            std::uint32_t length) {
    u32(seconds).u32(fraction).u32(captured).u32(length);
    if (magic == pcap_kuznetzov) u32(7).u16(0x0800).u8(0).u8(0);
    return *this;
  }
  PcapWriter& packet(std::uint32_t seconds, std::uint32_t fraction, std::uint32_t captured) {
    packet_header(seconds, fraction, captured, captured + 1000);
    counting(captured);
    return *this;
  }
};

struct PcapngWriter : Bytes {
  explicit PcapngWriter(bool swap = false) { swapped = swap; }

  /// A block around a body whose size need not be a multiple of four.
  PcapngWriter& block(std::uint32_t type, Bytes body) {
    while (body.size() % 4 != 0) body.u8(0);
    const auto size = static_cast<std::uint32_t>(body.size() + 12);
    u32(type).u32(size);
    append(body);
    u32(size);
    return *this;
  }
  Bytes body() const { return Bytes{{}, swapped}; }

  PcapngWriter& section() {
    return block(0x0a0d0d0a, body().u32(0x1a2b3c4d).u16(1).u16(0).u64(~std::uint64_t{0}));
  }
  PcapngWriter& interface(std::uint16_t link = 1, std::uint32_t snap_length = 0,
                          Bytes options = {}) {
    return block(1, body().u16(link).u16(0).u32(snap_length).append(options));
  }
  Bytes resolution_option(std::uint8_t resolution) const {
    return body().u16(9).u16(1).u8(resolution).u8(0).u8(0).u8(0);
  }
  Bytes offset_option(std::int64_t seconds) const {
    return body().u16(14).u16(8).u64(static_cast<std::uint64_t>(seconds));
  }
  PcapngWriter& enhanced(std::uint32_t interface_index, std::uint64_t ticks,
                         std::uint32_t captured) {
    return block(6, body()
                        .u32(interface_index)
                        .u32(static_cast<std::uint32_t>(ticks >> 32))
                        .u32(static_cast<std::uint32_t>(ticks))
                        .u32(captured)
                        .u32(captured + 1000)
                        .counting(captured));
  }
  PcapngWriter& obsolete(std::uint16_t interface_index, std::uint64_t ticks,
                         std::uint32_t captured) {
    return block(2, body()
                        .u16(interface_index)
                        .u16(3)  // drops
                        .u32(static_cast<std::uint32_t>(ticks >> 32))
                        .u32(static_cast<std::uint32_t>(ticks))
                        .u32(captured)
                        .u32(captured + 1000)
                        .counting(captured));
  }
  PcapngWriter& simple(std::uint32_t length, std::uint32_t captured) {
    return block(3, body().u32(length).counting(captured));
  }
};

/// A packet with its own bytes, so that it can be kept and compared.
struct Copied {
  std::int64_t time_ns;
  std::uint32_t length;
  LinkType link;
  std::vector<std::byte> bytes;

  friend bool operator==(const Copied&, const Copied&) = default;
};

struct ReadAll {
  std::vector<Copied> packets;
  SourceCounters counters;
  std::vector<std::string> warnings;
};

/// Reads to the end; gives up (with what it has) if a source stays silent for too long.
inline ReadAll read_all(Source& source, std::size_t batch_size = 5) {
  ReadAll all;
  std::vector<Packet> batch(batch_size);
  for (int silent = 0; silent < 5;) {
    const auto [count, end, in_order] = source.next(batch);
    silent = count == 0 ? silent + 1 : 0;
    for (const Packet& packet : std::span{batch}.first(count))
      all.packets.push_back({to_ns(packet.time),
                             packet.length,
                             packet.link,
                             {packet.bytes().begin(), packet.bytes().end()}});
    if (end) break;
  }
  all.counters = source.counters();
  all.warnings.assign(source.warnings().begin(), source.warnings().end());
  return all;
}

inline std::vector<std::byte> counting_bytes(std::size_t size) {
  return Bytes{}.counting(size).data;
}

}  // namespace sojourn::test
