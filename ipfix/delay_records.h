#pragma once
// One-way delays as flow records that other collectors understand (RFC 9951).

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/address.h"
#include "core/time.h"

namespace sojourn::ipfix {

/// The delays of all flows to a prefix on a segment.
struct DelayRecord {
  std::string segment;
  IpAddress prefix;
  std::uint8_t prefix_length = 0;  ///< 0 of an IPv4 address: all traffic
  Timestamp from{}, to{};
  std::uint64_t packets = 0;  ///< that the delays stand for
  Duration mean{}, min{}, max{};
};

/// The elements are unsigned: they cannot hold a delay that is negative because of the clocks.
bool is_negative(const DelayRecord& record);
/// They have 32 bits, and their sum 64.  So they cannot hold delays above an hour, a record without
/// packets, or so many packets that their delays add up to 292 000 years.
bool can_be_told(const DelayRecord& record);

/// An IPFIX file (RFC 5655): messages one behind the other, each segment a domain with its
/// templates first.  Records of a segment lie together; what cannot be told is left out.
std::vector<std::byte> delay_file(std::span<const DelayRecord> records, Timestamp now);

}  // namespace sojourn::ipfix
