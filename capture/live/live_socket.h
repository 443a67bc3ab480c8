#pragma once
// The kernel's side of a live capture: a packet socket bound to one interface, or to all.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capture/unique_fd.h"
#include "core/result.h"

namespace sojourn {

/// The link header of an interface's frames.
enum class Framing : std::uint8_t {
  ethernet,
  loopback,  ///< Ethernet headers; every packet is seen twice, leaving and arriving
  none,      ///< tunnels, PPP: packets are read from the network layer on
  mixed,     ///< several interfaces: each packet has its own
};
Framing framing_of(unsigned hardware_type);  ///< an ARPHRD number

struct LiveInterface {
  std::string name;
  int index = 0;
  Framing framing = Framing::ethernet;

  static Result<LiveInterface> find(const std::string& name);
  bool exists() const;
};

/// Where a socket listens.
struct ListeningPlace {
  /// tcpdump's word for all interfaces, including those that come up later.
  static constexpr std::string_view any = "any";

  std::vector<LiveInterface> interfaces;  ///< empty: any

  static Result<ListeningPlace> find(std::span<const std::string> names);
  std::string name() const;
  Framing framing() const {
    return interfaces.size() == 1 ? interfaces[0].framing : Framing::mixed;
  }
};

/// A socket that receives nothing yet: the ring has to be set up first.
Result<UniqueFd> open_packet_socket(const ListeningPlace& place, std::uint32_t snap_length);

/// From now on packets arrive, in the order of time across all interfaces.  `any` is never
/// promiscuous.
Result<void> start_receiving(const UniqueFd& socket, const ListeningPlace& place, bool promiscuous);

/// Packets lost because the ring was full, since the last call.
std::uint64_t take_kernel_drops(const UniqueFd& socket);

}  // namespace sojourn
