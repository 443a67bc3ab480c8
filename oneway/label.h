#pragma once
// The label of a packet: a hash of bytes that are the same at every point it passes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/hash.h"
#include "oneway/ipsx_hash.h"
#include "oneway/label_options.h"
#include "wire/ip_packet.h"

namespace sojourn {

/// The invariant bytes of a packet, in the order in which they are hashed (RFC 5475 section 6.2.3):
///
///     IPv4   identification, flags and fragment offset, source, destination
///     IPv6   length, bytes 10, 11, 14, 15, 16 of source and destination; of a fragment also its
///            offset and identification
///     then   `payload_bytes` from `payload_offset` of what follows
///
/// Left out, since they change on the path or only appear different: TTL, DSCP and ECN, flow label,
/// header checksum, everything below the innermost IP header.  Fields that alternate marking may
/// write are left out too: the reserved flag of IPv4 reads as 0, and the IPv6 length and payload
/// are counted from behind the extension headers (RFC 9343 inserts option 0x12 there).  The
/// checksums of TCP and UDP read as 0: a capture on the sending host is often made before the card
/// fills them in.
class InvariantBytes {
 public:
  static constexpr std::size_t most_payload = 256;

  InvariantBytes(const IpPacket& packet, const LabelOptions& options);

  std::span<const std::byte> bytes() const { return {bytes_.data(), size_}; }
  /// The capture ends before the end of these bytes: another point may have more of them.
  bool cut() const { return cut_; }

 private:
  void append_header(const IpPacket& packet);
  void append_payload(const IpPacket& packet, const LabelOptions& options);

  alignas(8) std::array<std::byte, 40 + most_payload> bytes_;
  std::size_t size_ = 0;
  bool cut_ = false;
};

/// 32 bits (IPSX: 16), equal at every point with the same options.
std::uint32_t label_of(const IpPacket& packet, const LabelOptions& options);

/// The key for matching inside one program: 64 keyed bits of the same bytes and of the 5-tuple.
/// With n packets in the window, the probability of a collision is n / 2^64 per packet; with 32-bit
/// labels it would be one in four thousand at a million packets.
std::uint64_t identity_of(const IpPacket& packet, const InvariantBytes& invariant,
                          const HashKey& key);

/// The words that IPSX reads of the packet.  As in all labels, the reserved flag of IPv4 and the
/// checksum of UDP read as 0, so a PSAMP device agrees if both are 0.
IpsxInput ipsx_input(const IpPacket& packet);

}  // namespace sojourn
