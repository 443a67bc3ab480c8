#pragma once
// The kernel's side of a live capture: a packet socket bound to one interface.

#include <cstdint>
#include <string>

#include "capture/unique_fd.h"
#include "core/result.h"

namespace sojourn {

/// What the frames of an interface begin with.
enum class Framing : std::uint8_t {
  ethernet,
  loopback,  ///< Ethernet headers, and every packet is seen leaving and arriving
  none,      ///< tunnels, PPP: we ask for the packets from the network layer on
};

struct LiveInterface {
  std::string name;
  int index = 0;
  Framing framing = Framing::ethernet;

  static Result<LiveInterface> find(const std::string& name);
};

/// A socket that receives nothing yet: the ring has to be set up before.
Result<UniqueFd> open_packet_socket(const LiveInterface& interface, std::uint32_t snap_length);

/// From now on packets arrive.
Result<void> start_receiving(const UniqueFd& socket, const LiveInterface& interface,
                             bool promiscuous);

/// Packets lost because the ring was full, since the last call.
std::uint64_t take_kernel_drops(const UniqueFd& socket);

}  // namespace sojourn
