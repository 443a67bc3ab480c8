#pragma once
// Captures in memory, in the form for a test run of the kernel.

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

/// Unreadable packets are left out.
Capture read_captures(std::span<const std::string> paths);

/// Only user space removes duplicate packets, so they are removed before: the kernel takes a copy
/// for a retransmission.  Returns their number.
std::size_t remove_copies(Capture& capture, std::uint64_t seed);

/// Packets made at random (random_capture.h).
Capture random_capture(std::uint64_t number, std::size_t count);

}  // namespace sojourn
