#include "tests/testbed/packet_port.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace sojourn::testbed {
namespace {

constexpr std::size_t slot_bytes = 2048;  // a tpacket2_hdr, its address and a frame of 1514 bytes
constexpr std::size_t block_bytes = 1 << 20;
constexpr std::size_t blocks = 8;
constexpr std::size_t slots = blocks * block_bytes / slot_bytes;
constexpr std::size_t ring_bytes = blocks * block_bytes;

// Since Linux 4.20; older headers lack the name.
#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

std::unexpected<Error> refused(const std::string& what) {
  return failure(what + ": " + std::strerror(errno));
}

template <class Value>
bool set(int descriptor, int option, const Value& value) {
  return setsockopt(descriptor, SOL_PACKET, option, &value, sizeof value) == 0;
}

tpacket2_hdr& header_at(std::byte* slot) { return *reinterpret_cast<tpacket2_hdr*>(slot); }

}  // namespace

Result<PacketPort> PacketPort::open(const std::string& interface) {
  const unsigned index = if_nametoindex(interface.c_str());
  if (index == 0) return refused("no interface " + interface);
  PacketPort port{socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0)};  // protocol 0: hears nothing yet
  if (port.descriptor_ < 0) return refused("cannot open a packet socket");

  // The kernel shall read the clock when a frame comes in, not when a busy softirq thread gets to
  // our ring: this program spins, and that thread may have to wait for its core.
  const int on = 1;
  if (setsockopt(port.descriptor_, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0)
    return refused("cannot ask for early timestamps on " + interface);
  // TPACKET_V2 delivers frame by frame; V3 collects a block first, which would add to the delay.
  tpacket_req request{};
  request.tp_block_size = block_bytes;
  request.tp_block_nr = blocks;
  request.tp_frame_size = slot_bytes;
  request.tp_frame_nr = slots;
  if (!set(port.descriptor_, PACKET_VERSION, int{TPACKET_V2}) ||
      !set(port.descriptor_, PACKET_IGNORE_OUTGOING, 1) ||
      !set(port.descriptor_, PACKET_QDISC_BYPASS, 1) ||
      !set(port.descriptor_, PACKET_RX_RING, request))
    return refused("cannot set up the packet ring of " + interface);
  void* ring = mmap(nullptr, ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                    port.descriptor_, 0);
  if (ring == MAP_FAILED) return refused("cannot map the packet ring of " + interface);
  port.ring_ = static_cast<std::byte*>(ring);

  packet_mreq promiscuous{};
  promiscuous.mr_ifindex = static_cast<int>(index);
  promiscuous.mr_type = PACKET_MR_PROMISC;
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(index);
  if (!set(port.descriptor_, PACKET_ADD_MEMBERSHIP, promiscuous) ||
      bind(port.descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return refused("cannot listen on " + interface);
  return port;
}

PacketPort::~PacketPort() {
  if (ring_) munmap(ring_, ring_bytes);
  if (descriptor_ >= 0) close(descriptor_);
}

std::byte* PacketPort::slot() const { return ring_ + next_ * slot_bytes; }

std::optional<ReceivedFrame> PacketPort::receive() const {
  tpacket2_hdr& header = header_at(slot());
  const auto status = std::atomic_ref{header.tp_status}.load(std::memory_order_acquire);
  if (!(status & TP_STATUS_USER)) return std::nullopt;
  const auto ns = static_cast<std::int64_t>(header.tp_sec) * 1'000'000'000 + header.tp_nsec;
  return ReceivedFrame{.arrived = timestamp_from_ns(ns),
                       .bytes = {slot() + header.tp_mac, header.tp_snaplen},
                       .length = header.tp_len};
}

void PacketPort::release() {
  std::atomic_ref{header_at(slot()).tp_status}.store(TP_STATUS_KERNEL, std::memory_order_release);
  next_ = (next_ + 1) % slots;
}

bool PacketPort::send(std::span<const std::byte> frame) const {
  return ::send(descriptor_, frame.data(), frame.size(), MSG_DONTWAIT) ==
         static_cast<ssize_t>(frame.size());
}

std::uint32_t PacketPort::kernel_drops() const {
  tpacket_stats stats{};
  socklen_t size = sizeof stats;
  getsockopt(descriptor_, SOL_PACKET, PACKET_STATISTICS, &stats, &size);
  return stats.tp_drops;
}

}  // namespace sojourn::testbed
