#pragma once
// Captures in memory, as a test run of the kernel takes them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/packet.h"

namespace sojourn {

/// Those of a link type that the kernel's Ethernet devices have, owned.
struct Capture {
  std::vector<std::byte> bytes;
  std::vector<Packet> packets;
  std::uint64_t left_out = 0;  ///< of another link type, or not taken by a test run
};

/// What cannot be read is left out; a replay has no opinion about it.
Capture read_captures(std::span<const std::string> paths);

/// Only user space takes out packets that were captured twice, so they are taken out before: the
/// kernel takes a copy for a retransmission.  Returns how many there were.
std::size_t remove_copies(Capture& capture, std::uint64_t seed);

/// Packets made at random (random_capture.h).
Capture random_capture(std::uint64_t number, std::size_t count);

}  // namespace sojourn
