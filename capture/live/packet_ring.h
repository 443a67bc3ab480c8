#pragma once
// A ring of blocks that the kernel fills with packets: AF_PACKET, TPACKET_V3
// (Documentation/networking/packet_mmap.rst).

#include <linux/if_packet.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "capture/unique_fd.h"
#include "core/packet.h"
#include "core/result.h"

namespace sojourn {

/// The memory shared by socket and reader.  A block belongs to the reader from the time the kernel
/// retires it until release().
class PacketRing {
 public:
  static Result<PacketRing> open(const UniqueFd& socket, std::size_t bytes);

  /// Bytes in front of a packet that its reader may write to: a VLAN tag fits.
  static constexpr unsigned headroom = 4;

  PacketRing(PacketRing&& other) noexcept;
  PacketRing& operator=(PacketRing&&) = delete;
  ~PacketRing();

  /// The oldest retired block, or nullptr.
  tpacket_block_desc* ready_block() const;
  /// Returns that block to the kernel and goes on to the next.
  void release();

 private:
  PacketRing(std::byte* begin, std::size_t blocks) : begin_(begin), blocks_(blocks) {}
  tpacket_block_desc* block() const;

  /// The longest time a packet waits before an unfilled block is retired.
  static constexpr std::uint32_t retire_timeout_ms = 10;
  /// Small blocks, since a block retired by timeout is used up as a whole.  A reader that is not
  /// scheduled may be away for (blocks x retire_timeout_ms), 2.5 s with 32 MiB, as long as the
  /// packets of that time fit.  With blocks of 1 MiB it was 0.3 s at any rate (bench/web_load.py).
  static constexpr std::uint32_t block_size = 128 * 1024;

  std::byte* begin_;
  std::size_t blocks_;
  std::size_t current_ = 0;
};

}  // namespace sojourn
