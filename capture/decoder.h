#pragma once
// From the bytes of a capture to packets.  Decoders see a window of contiguous bytes and do not
// know whether it is a mapped file or a buffer that a pipe fills.

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/packet.h"

namespace sojourn {

/// Bytes that are not decoded yet.
struct Window {
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
  bool last = false;  ///< nothing follows `end`

  std::size_t size() const { return static_cast<std::size_t>(end - begin); }
  std::span<const std::byte> bytes() const { return {begin, end}; }
};

/// The largest packet that libpcap and Wireshark accept too (MAXIMUM_SNAPLEN).  A longer one
/// indicates damage, and skipping by its length would cause more errors.
inline constexpr std::uint32_t max_captured = 262'144;

class Decoder {
 public:
  virtual ~Decoder() = default;

  struct Step {
    std::size_t count = 0;     ///< packets, their bytes inside the window
    std::size_t consumed = 0;  ///< bytes from the window's front that are not needed any more
    std::size_t wanted = 0;    ///< if count is 0: the window size needed to make progress
    bool ended = false;        ///< nothing follows: the last byte, or damage
    bool in_order = false;     ///< see Source::Filled
  };

  /// Fills `batch` from its front with the packets that lie wholly in `window`.
  virtual Step decode(Window window, std::span<Packet> batch) = 0;
};

}  // namespace sojourn
