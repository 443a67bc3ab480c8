#pragma once
// Packets as a pcap file with nanosecond times.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/packet.h"

namespace sojourn {

/// Writes whole blocks, so that a capture of millions of packets costs seconds.  The receiver of
/// the blocks decides where they go and handles its own errors.
class CaptureWriter {
 public:
  using Take = std::function<void(std::string_view)>;

  CaptureWriter(Take take, LinkType link, std::uint32_t snap_length = 262'144);

  /// `length` is the length on the wire, if the capture cuts packets; times from 1970 to 2106.
  void write(Timestamp time, std::span<const std::byte> bytes, std::uint32_t length);
  void write(const Packet& packet) { write(packet.time, packet.bytes(), packet.length); }

  /// Must be called last: writes the rest.
  void flush();

 private:
  void put(const void* bytes, std::size_t size);

  Take take_;
  std::vector<char> block_;
  std::size_t used_ = 0;
};

}  // namespace sojourn
