#include "oneway/rli/rli_method.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wire/headers/udp.h"

namespace sojourn {
namespace {

/// The content of a reference packet, if it is one.
std::optional<ReferencePacket> reference_in(const IpPacket& packet) {
  constexpr std::size_t shortest = sizeof(UdpHeader) + sizeof(ReferencePacketHeader);
  if (packet.protocol != IpProtocol::udp || packet.later_fragment ||
      packet.transport().size() < shortest)
    return std::nullopt;
  return decode_reference_packet(packet.transport().subspan(sizeof(UdpHeader)));
}

/// The frame's bytes behind its link header, including tags and tunnels.
std::uint32_t network_bytes(const IpPacket& packet) {
  constexpr std::uint32_t ethernet_header = 14;
  const std::uint32_t header = packet.link == LinkType::ethernet ? ethernet_header : 0;
  return std::max(packet.ip_length,
                  packet.frame_length > header ? packet.frame_length - header : 0);
}

class RliMethod final : public OnewayMethod {
 public:
  explicit RliMethod(const RliOptions& options) : options_(options), receiver_(options.receiver) {
    batch_.reserve(max_batch);
  }

  void first(std::span<const IpPacket> batch) override {
    for (const IpPacket& packet : batch) injected_ += reference_in(packet).has_value();
  }
  void last(std::span<const IpPacket> batch) override;
  OnewayResult finish() override;

 private:
  void drain() {
    receiver_.packets(batch_);
    batch_.clear();
  }

  void choose_line(const IpPacket& first_seen);
  void say_what_the_link_shows(OnewayResult& result) const;

  RliOptions options_;
  RliReceiver receiver_;
  bool knows_line_ = false;
  std::vector<ObservedPacket> batch_;
  std::uint64_t injected_ = 0;
};

void RliMethod::choose_line(const IpPacket& first_seen) {
  knows_line_ = true;
  const bool on_ethernet = first_seen.link == LinkType::ethernet;
  LineBytes line = on_ethernet ? LineBytes::ethernet() : LineBytes{};
  // A stated overhead below Ethernet's is of another link, without Ethernet's minimum frame size.
  if (options_.link_overhead) {
    if (*options_.link_overhead < line.overhead) line.least = 0;
    line.overhead = *options_.link_overhead;
  }
  receiver_.set_line(line);
}

void RliMethod::last(std::span<const IpPacket> batch) {
  if (!knows_line_ && !batch.empty()) choose_line(batch.front());
  for (const IpPacket& packet : batch) {
    if (const auto reference = reference_in(packet)) {
      drain();
      receiver_.reference(*reference, packet.time);
    } else {
      batch_.push_back(
          {packet.key(), packet.flow, packet.time, network_bytes(packet), 0, packet.tcp_flags});
    }
  }
  drain();
}

/// Where packets contradict the settings of the link.
void RliMethod::say_what_the_link_shows(OnewayResult& result) const {
  if (options_.receiver.estimator != RliEstimator::queue_aware) return;
  const RliCounters& seen = receiver_.counters();
  result.counters.emplace_back("reference-packets-behind-gaps", seen.references_behind_gaps);
  result.counters.emplace_back("waited-behind-gaps", seen.waited_behind_gaps);
  if (!receiver_.trusts_gaps())
    result.notes.emplace_back(
        "Reference packets that came behind a gap had waited all the same: the link also carries "
        "traffic that the last point does not see, or its capacity or overhead is wrong. Gaps are "
        "ignored, as by the method rli.",
        Advice::link);
  if (receiver_.spare_bytes().faster_than_link())
    result.notes.emplace_back(
        "Packets follow each other faster than a link of this capacity can send them.",
        Advice::capacity);
  else if (knows_line_ && !options_.link_overhead && receiver_.line_was_lessened())
    result.notes.emplace_back("Packets follow each other more closely than Ethernet allows: " +
                                  std::to_string(receiver_.line().overhead) +
                                  " bytes are counted for each beside the IP packet.",
                              Advice::link_overhead);
}

OnewayResult RliMethod::finish() {
  receiver_.finish();
  OnewayResult result;
  result.memory_bytes = receiver_.memory_bytes();
  const RliCounters& seen = receiver_.counters();
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::uint64_t>>{
           {"reference-packets", seen.references},
           {"reference-packets-at-first", injected_},
           {"reference-packets-lost", seen.references_lost},
           {"reference-packets-reordered", seen.references_reordered},
           {"reference-packets-of-others", seen.other_senders},
           {"interpolated", seen.interpolated},
           {"left-only", seen.left_only},
           {"before-first-reference", seen.before_first},
           {"after-last-reference", seen.after_last},
           {"flows-without-room", seen.not_tracked}})
    result.counters.emplace_back(name, value);
  if (seen.references == 0)
    result.no_result =
        Note{"the last point saw no reference packets, and RLI measures nothing without them",
             Advice::references};
  say_what_the_link_shows(result);
  if (options_.receiver.capacity_bytes_a_second == 0)
    result.notes.emplace_back(
        "Without the capacity of the link, all packets count as being as long as a reference "
        "packet on the line.",
        Advice::capacity);
  for (const auto& [key, value] : receiver_.flows()) {
    FlowDelay flow;
    flow.key = key;
    flow.packets = value.packets;
    if (value.delays.count() > 0) {
      flow.mean_ns = value.delays.mean_ns();
      flow.stddev_ns = value.delays.deviation_ns();
      flow.margin_ns = receiver_.margin_ns(value);
    }
    result.flows.push_back(flow);
  }
  if (receiver_.aggregate().count() > 0) {
    TotalDelay total;
    total.packets = receiver_.aggregate().count();
    total.mean_ns = receiver_.aggregate().mean_ns();
    total.stddev_ns = receiver_.aggregate().deviation_ns();
    result.total = total;
  }
  return result;
}

}  // namespace

std::unique_ptr<OnewayMethod> make_rli(const RliOptions& options) {
  RliOptions all = options;
  all.receiver.line_is_certain = options.link_overhead.has_value();
  return std::make_unique<RliMethod>(all);
}

}  // namespace sojourn
