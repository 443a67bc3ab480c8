#include "oneway/rli/rli_method.h"

#include <optional>
#include <utility>
#include <vector>

#include "wire/headers/udp.h"

namespace sojourn {
namespace {

/// What a packet says if it is a reference packet.
std::optional<ReferencePacket> reference_in(const IpPacket& packet) {
  constexpr std::size_t shortest = sizeof(UdpHeader) + sizeof(ReferencePacketHeader);
  if (packet.protocol != IpProtocol::udp || packet.later_fragment ||
      packet.transport().size() < shortest)
    return std::nullopt;
  return decode_reference_packet(packet.transport().subspan(sizeof(UdpHeader)));
}

class RliMethod final : public OnewayMethod {
 public:
  explicit RliMethod(const RliReceiver::Options& options) : options_(options), receiver_(options) {
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

  RliReceiver::Options options_;
  RliReceiver receiver_;
  std::vector<ObservedPacket> batch_;
  std::uint64_t injected_ = 0;
};

void RliMethod::last(std::span<const IpPacket> batch) {
  for (const IpPacket& packet : batch) {
    if (const auto reference = reference_in(packet)) {
      drain();
      receiver_.reference(*reference, packet.time);
    } else {
      batch_.push_back(
          {packet.key(), packet.flow, packet.time, packet.ip_length, 0, packet.tcp_flags});
    }
  }
  drain();
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
        "LAST holds no reference packets, and without them RLI knows nothing "
        "(sojourn generate --points 2 --references 100 makes captures with some)";
  if (options_.capacity_bytes_a_second == 0)
    result.notes.push_back(
        "Without --capacity all packets count as being as long as a reference packet on the line.");
  for (const auto& [key, value] : receiver_.flows()) {
    FlowDelay flow;
    flow.key = key;
    flow.packets = value.packets;
    if (value.delays.count() > 0) {
      flow.mean_ns = value.delays.mean_ns();
      flow.stddev_ns = value.delays.deviation_ns();
      flow.margin_ns = 1.96 * value.standard_error_ns();
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

std::unique_ptr<OnewayMethod> make_rli(const RliReceiver::Options& options) {
  return std::make_unique<RliMethod>(options);
}

}  // namespace sojourn
