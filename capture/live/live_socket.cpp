#include "capture/live/live_socket.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "capture/live/privileges.h"

namespace sojourn {
namespace {

std::string reason() { return std::strerror(errno); }

/// A filter's return value is the number of bytes to keep: the only way to set a snap length for a
/// ring.  With several interfaces it also selects the named ones, because a socket is bound to one
/// interface or to all.
std::vector<sock_filter> filter_for(const ListeningPlace& place, std::uint32_t snap_length) {
  const sock_filter keep{.code = BPF_RET | BPF_K, .jt = 0, .jf = 0, .k = snap_length};
  if (place.interfaces.size() <= 1) return {keep};
  std::vector<sock_filter> program = {
      {.code = BPF_LD | BPF_W | BPF_ABS,
       .jt = 0,
       .jf = 0,
       .k = static_cast<std::uint32_t>(SKF_AD_OFF + SKF_AD_IFINDEX)}};
  for (const LiveInterface& interface : place.interfaces) {
    program.push_back({.code = BPF_JMP | BPF_JEQ | BPF_K,
                       .jt = 0,
                       .jf = 1,
                       .k = static_cast<std::uint32_t>(interface.index)});
    program.push_back(keep);
  }
  program.push_back({.code = BPF_RET | BPF_K, .jt = 0, .jf = 0, .k = 0});
  return program;
}

}  // namespace

Framing framing_of(unsigned hardware_type) {
  switch (hardware_type) {
    case ARPHRD_ETHER:
      return Framing::ethernet;
    case ARPHRD_LOOPBACK:
      return Framing::loopback;
    default:
      return Framing::none;
  }
}

Result<LiveInterface> LiveInterface::find(const std::string& name) {
  LiveInterface found{.name = name};
  ifreq request{};
  if (name.empty() || name.size() >= sizeof request.ifr_name || name.find('\0') != name.npos)
    return failure("'" + name + "' is not an interface name");
  found.index = static_cast<int>(::if_nametoindex(name.c_str()));
  if (found.index == 0) return failure("no such interface: " + name);

  // Any socket can query interfaces; this kind needs no privilege.
  const UniqueFd socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  std::memcpy(request.ifr_name, name.data(), name.size());
  if (::ioctl(socket.get(), SIOCGIFFLAGS, &request) != 0)
    return failure(name + ": cannot read the interface's state: " + reason());
  if ((request.ifr_flags & IFF_UP) == 0) return failure(name + ": the interface is down");
  if (::ioctl(socket.get(), SIOCGIFHWADDR, &request) != 0)
    return failure(name + ": cannot read the interface's type: " + reason());
  found.framing = framing_of(request.ifr_hwaddr.sa_family);
  return found;
}

bool LiveInterface::exists() const {
  std::array<char, IF_NAMESIZE> found{};
  return ::if_indextoname(static_cast<unsigned>(index), found.data()) != nullptr;
}

Result<ListeningPlace> ListeningPlace::find(std::span<const std::string> names) {
  constexpr std::size_t most = 64;  // few enough for a filter's 8-bit jumps
  ListeningPlace place;
  for (const std::string& name : names) {
    if (name == any) {
      if (names.size() > 1) return failure("any is all interfaces: leave out the others");
      return place;
    }
    auto interface = LiveInterface::find(name);
    if (!interface) return std::unexpected(interface.error());
    if (std::ranges::find(place.interfaces, interface->index, &LiveInterface::index) ==
        place.interfaces.end())
      place.interfaces.push_back(std::move(*interface));
  }
  if (place.interfaces.size() > most)
    return failure("more than 64 interfaces: any takes all there are");
  return place;
}

std::string ListeningPlace::name() const {
  std::string text;
  for (const LiveInterface& interface : interfaces)
    text += (text.empty() ? "" : ", ") + interface.name;
  return interfaces.empty() ? std::string{any} : text;
}

Result<UniqueFd> open_packet_socket(const ListeningPlace& place, std::uint32_t snap_length) {
  const std::string name = place.name();
  const int kind = place.framing() == Framing::none ? SOCK_DGRAM : SOCK_RAW;
  // Protocol 0: receives nothing until start_receiving(); otherwise packets of other interfaces
  // would arrive first.
  UniqueFd socket{::socket(AF_PACKET, kind | SOCK_CLOEXEC, 0)};
  if (!socket && (errno == EPERM || errno == EACCES))
    return failure(name + ": capturing " + missing_capability("CAP_NET_RAW"));
  if (!socket) return failure(name + ": cannot open a packet socket: " + reason());

  std::vector<sock_filter> filter = filter_for(place, snap_length);
  const sock_fprog program{.len = static_cast<unsigned short>(filter.size()),
                           .filter = filter.data()};
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) != 0)
    return failure(name + ": cannot set the filter: " + reason());

  // The kernel should read the clock when a packet comes in.  Otherwise it does so when it fills
  // the ring, and on a busy machine that thread may have waited milliseconds for a core.
  const int on = 1;
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0)
    return failure(name + ": cannot ask for early timestamps: " + reason());
  return socket;
}

Result<void> start_receiving(const UniqueFd& socket, const ListeningPlace& place,
                             bool promiscuous) {
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = place.interfaces.size() == 1 ? place.interfaces[0].index : 0;
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return failure(place.name() + ": cannot listen: " + reason());
  if (!promiscuous) return {};

  for (const LiveInterface& interface : place.interfaces) {
    if (interface.framing != Framing::ethernet) continue;
    packet_mreq membership{};
    membership.mr_ifindex = interface.index;
    membership.mr_type = PACKET_MR_PROMISC;
    if (::setsockopt(socket.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &membership,
                     sizeof membership) != 0)
      return failure(interface.name + ": cannot listen promiscuously: " + reason());
  }
  return {};
}

std::uint64_t take_kernel_drops(const UniqueFd& socket) {
  tpacket_stats_v3 statistics{};
  socklen_t size = sizeof statistics;
  if (::getsockopt(socket.get(), SOL_PACKET, PACKET_STATISTICS, &statistics, &size) != 0) return 0;
  return statistics.tp_drops;
}

}  // namespace sojourn
