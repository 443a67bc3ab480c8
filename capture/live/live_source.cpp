#include "capture/live/live_source.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "capture/capture_log.h"
#include "capture/filtered_source.h"
#include "capture/live/live_socket.h"
#include "capture/live/packet_ring.h"

namespace sojourn {
namespace {

class LiveSource final : public Source {
 public:
  LiveSource(LiveInterface interface, UniqueFd socket, PacketRing ring)
      : interface_(std::move(interface)), socket_(std::move(socket)), ring_(std::move(ring)) {
    log_.name = interface_.name;
  }

  Filled next(std::span<Packet> batch) override {
    if (block_ != nullptr && left_ == 0) {
      ring_.release();
      block_ = nullptr;
      log_.counters.kernel_drops += take_kernel_drops(socket_);
    }
    if (block_ == nullptr && !find_block()) return {0, ended_};
    std::size_t count = 0;
    while (left_ > 0 && count < batch.size()) {
      --left_;
      count += take(batch[count]);
    }
    log_.counters.packets += count;
    tally_.report(log_.counters);
    return {count, false};
  }

  bool bytes_stay() const override { return false; }
  const SourceCounters& counters() const override { return log_.counters; }
  std::span<const std::string> warnings() const override { return log_.warnings; }
  double progress() const override { return -1; }

 private:
  static constexpr int longest_wait_ms = 100;
  static constexpr std::uint32_t tag_size = 4;

  bool find_block() {
    block_ = ring_.ready_block();
    if (block_ == nullptr) wait();
    if (block_ == nullptr) block_ = ring_.ready_block();
    if (block_ == nullptr) return false;
    left_ = block_->hdr.bh1.num_pkts;
    at_ = reinterpret_cast<std::byte*>(block_) + block_->hdr.bh1.offset_to_first_pkt;
    return true;
  }

  void wait() {
    pollfd waiting{.fd = socket_.get(), .events = POLLIN | POLLERR, .revents = 0};
    if (::poll(&waiting, 1, longest_wait_ms) <= 0) {
      log_.counters.kernel_drops += take_kernel_drops(socket_);
      return;
    }
    if ((waiting.revents & POLLERR) == 0) return;
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);  // asking also clears it
    std::array<char, IF_NAMESIZE> name{};
    ended_ = ::if_indextoname(static_cast<unsigned>(interface_.index), name.data()) == nullptr;
    log_.warn(ended_ ? "the interface is gone" : std::strerror(error));
  }

  /// The packet at `at_`, unless it is one that we leave out.
  bool take(Packet& packet) {
    auto* const frame = at_;
    tpacket3_hdr header;
    std::memcpy(&header, frame, sizeof header);
    sockaddr_ll from;
    std::memcpy(&from, frame + TPACKET_ALIGN(sizeof header), sizeof from);
    at_ += header.tp_next_offset;

    // Loopback shows every packet twice, leaving and arriving.
    if (interface_.framing == Framing::loopback && from.sll_pkttype == PACKET_OUTGOING)
      return false;
    packet.link = LinkType::ethernet;
    if (interface_.framing == Framing::none) {
      packet.link = LinkType::raw;
      if (from.sll_protocol != htons(ETH_P_IP) && from.sll_protocol != htons(ETH_P_IPV6)) {
        ++log_.counters.unknown_link;
        return false;
      }
    }
    packet.time = timestamp_from_ns(std::int64_t{header.tp_sec} * 1'000'000'000 + header.tp_nsec);
    packet.data = frame + header.tp_mac;
    packet.captured = header.tp_snaplen;
    packet.length = std::max(header.tp_len, header.tp_snaplen);
    if (interface_.framing != Framing::none && (header.tp_status & TP_STATUS_VLAN_VALID) != 0)
      restore_tag(header, frame + header.tp_mac, packet);
    tally_.add(packet);
    return true;
  }

  /// The kernel has taken the outer VLAN tag out of the frame.  Moving the two MAC addresses into
  /// the headroom makes place for it again (IEEE 802.1Q clause 9.3).
  static void restore_tag(const tpacket3_hdr& header, std::byte* frame, Packet& packet) {
    constexpr std::size_t two_addresses = 12;
    static_assert(tag_size <= PacketRing::headroom);
    if (header.tp_snaplen < two_addresses) return;
    std::memmove(frame - tag_size, frame, two_addresses);
    const bool has_tpid = (header.tp_status & TP_STATUS_VLAN_TPID_VALID) != 0;
    const std::array<std::uint16_t, 2> tag = {
        htons(has_tpid ? header.hv1.tp_vlan_tpid : std::uint16_t{ETH_P_8021Q}),
        htons(static_cast<std::uint16_t>(header.hv1.tp_vlan_tci))};
    std::memcpy(frame - tag_size + two_addresses, tag.data(), tag_size);
    packet.data = frame - tag_size;
    packet.captured += tag_size;
    packet.length += tag_size;
  }

  LiveInterface interface_;
  UniqueFd socket_;
  PacketRing ring_;
  CaptureLog log_;
  PacketTally tally_;
  tpacket_block_desc* block_ = nullptr;  ///< the one that we own, if any
  std::byte* at_ = nullptr;              ///< its next packet
  std::uint32_t left_ = 0;               ///< packets from `at_` on
  bool ended_ = false;
};

}  // namespace

Result<std::unique_ptr<Source>> open_interface(const LiveOptions& options) {
  auto interface = LiveInterface::find(options.interface);
  if (!interface) return std::unexpected(interface.error());
  auto socket = open_packet_socket(*interface, options.snap_length);
  if (!socket) return std::unexpected(socket.error());
  auto ring = PacketRing::open(*socket, options.ring_bytes);
  if (!ring) return std::unexpected(ring.error().while_doing(options.interface));
  if (auto started = start_receiving(*socket, *interface, options.promiscuous); !started)
    return std::unexpected(started.error());
  auto source = std::make_unique<LiveSource>(*interface, std::move(*socket), std::move(*ring));
  if (options.filter.empty()) return source;
  return FilteredSource::open(std::move(source), options.filter);
}

}  // namespace sojourn
