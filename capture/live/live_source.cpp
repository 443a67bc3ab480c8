#include "capture/live/live_source.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/if_ether.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "capture/capture_log.h"
#include "capture/filtered_source.h"
#include "capture/live/live_socket.h"
#include "capture/live/packet_ring.h"

namespace sojourn {
namespace {

class LiveSource final : public Source {
 public:
  LiveSource(ListeningPlace place, UniqueFd socket, PacketRing ring,
             std::shared_ptr<NameTable> names)
      : place_(std::move(place)),
        framing_(place_.framing()),
        socket_(std::move(socket)),
        ring_(std::move(ring)) {
    log_.name = place_.name();
    log_.interfaces = std::move(names);
    if (place_.interfaces.size() > 1) several_ = place_.interfaces;
  }

  Filled next(std::span<Packet> batch) override {
    if (block_ != nullptr && left_ == 0) {
      ring_.release();
      block_ = nullptr;
      log_.counters.kernel_drops += take_kernel_drops(socket_);
    }
    if (!several_.empty()) look_for_gone_ones();
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
    ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);  // reading it also clears it
    ended_ = place_.interfaces.size() == 1 && !place_.interfaces[0].exists();
    log_.warn(ended_ ? "the interface is gone" : std::strerror(error));
  }

  /// A socket on several interfaces gets no notification.
  void look_for_gone_ones() {
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_ < std::chrono::seconds{1}) return;
    looked_ = now;
    std::erase_if(several_, [&](const LiveInterface& interface) {
      if (interface.exists()) return false;
      log_.warn(interface.name + " is gone");
      return true;
    });
    ended_ = several_.empty();
  }

  /// The packet at `at_`, unless it is left out.
  bool take(Packet& packet) {
    auto* const frame = at_;
    tpacket3_hdr header;
    std::memcpy(&header, frame, sizeof header);
    sockaddr_ll from;
    std::memcpy(&from, frame + TPACKET_ALIGN(sizeof header), sizeof from);
    at_ += header.tp_next_offset;

    const Framing framing = framing_ == Framing::mixed ? framing_of(from.sll_hatype) : framing_;
    // Loopback shows every packet twice: leaving and arriving.
    if (framing == Framing::loopback && from.sll_pkttype == PACKET_OUTGOING) return false;
    packet.link = LinkType::ethernet;
    std::uint32_t before_ip = 0;
    if (framing == Framing::none) {
      // With several interfaces every packet comes with the header of its own interface.
      before_ip = std::min<std::uint32_t>(header.tp_net - header.tp_mac, header.tp_snaplen);
      packet.link = LinkType::raw;
      if (from.sll_protocol != htons(ETH_P_IP) && from.sll_protocol != htons(ETH_P_IPV6)) {
        ++log_.counters.unknown_link;
        return false;
      }
    }
    packet.time = timestamp_from_ns(std::int64_t{header.tp_sec} * 1'000'000'000 + header.tp_nsec);
    packet.data = frame + header.tp_mac + before_ip;
    packet.captured = header.tp_snaplen - before_ip;
    packet.length = std::max(header.tp_len, header.tp_snaplen) - before_ip;
    if (framing != Framing::none && (header.tp_status & TP_STATUS_VLAN_VALID) != 0)
      restore_tag(header, frame + header.tp_mac, packet);
    packet.interface = log_.interfaces ? number_of(from.sll_ifindex) : std::uint8_t{0};
    tally_.add(packet);
    return true;
  }

  /// Also for -i any: an interface may come up at any time.
  std::uint8_t number_of(int index) {
    if (index == last_index_) return last_number_;
    constexpr std::size_t most = 4096;  // containers come and go
    if (numbers_.size() >= most) numbers_.clear();
    const auto [found, is_new] = numbers_.try_emplace(index);
    if (is_new) {
      char name[IF_NAMESIZE];
      const bool known = ::if_indextoname(static_cast<unsigned>(index), name) != nullptr;
      found->second = log_.interface_named(known ? name : fmt::format("interface {}", index));
    }
    last_index_ = index;
    return last_number_ = found->second;
  }

  /// The kernel has removed the outer VLAN tag from the frame.  Moving the two MAC addresses into
  /// the headroom makes room to insert it again (IEEE 802.1Q clause 9.3).
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

  ListeningPlace place_;
  Framing framing_;
  UniqueFd socket_;
  PacketRing ring_;
  CaptureLog log_;
  PacketTally tally_;
  tpacket_block_desc* block_ = nullptr;  ///< the one that we own, if any
  std::byte* at_ = nullptr;              ///< its next packet
  std::uint32_t left_ = 0;               ///< packets from `at_` on
  bool ended_ = false;
  std::unordered_map<int, std::uint8_t> numbers_;  ///< interface numbers by index, if asked for
  int last_index_ = 0;
  std::uint8_t last_number_ = 0;
  std::vector<LiveInterface> several_;  ///< with several: those that still exist
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<std::unique_ptr<Source>> open_interfaces(const LiveOptions& options) {
  auto place = ListeningPlace::find(options.interfaces);
  if (!place) return std::unexpected(place.error());
  auto socket = open_packet_socket(*place, options.snap_length);
  if (!socket) return std::unexpected(socket.error());
  auto ring = PacketRing::open(*socket, options.ring_bytes);
  if (!ring) return std::unexpected(ring.error().while_doing(place->name()));
  if (auto started = start_receiving(*socket, *place, options.promiscuous); !started)
    return std::unexpected(started.error());
  auto source = std::make_unique<LiveSource>(std::move(*place), std::move(*socket),
                                             std::move(*ring), options.names);
  if (options.filter.empty()) return source;
  return FilteredSource::open(std::move(source), options.filter);
}

}  // namespace sojourn
