#include "pipeline/oneway/capture_diagnosis.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "core/hash.h"
#include "oneway/label.h"
#include "oneway/median_of.h"
#include "wire/headers/udp.h"
#include "wire/ip_packet.h"

namespace sojourn {
namespace {

/// Packets that both captures hold, whatever their times: a sample chosen by their identity, so
/// that the same ones are looked at in both.
class SharedPackets {
 public:
  void remember(std::uint64_t identity, Timestamp time) {
    if (identity > limit_) return;
    times_.emplace(identity, time);
    if (times_.size() < most) return;
    limit_ /= 2;
    std::erase_if(times_, [&](const auto& entry) { return entry.first > limit_; });
  }
  void compare(std::uint64_t identity, Timestamp time) {
    if (identity > limit_) return;
    if (const auto found = times_.find(identity);
        found != times_.end() && differences_.size() < most)
      differences_.push_back(difference(time, found->second));
  }

  /// Of the times at which a common packet was seen, last point's minus first point's.
  const std::vector<Duration>& differences() const { return differences_; }
  std::size_t remembered() const { return times_.size(); }

 private:
  static constexpr std::size_t most = 1'000'000;

  std::uint64_t limit_ = ~std::uint64_t{0};
  std::unordered_map<std::uint64_t, Timestamp> times_;
  std::vector<Duration> differences_;
};

/// What NAT leaves alone: protocol, length, and what follows the ports, without checksums.  0 for
/// packets that have too little of it to tell them apart.
std::uint64_t content_of(const IpPacket& packet, const HashKey& key) {
  constexpr std::size_t ports = 4, least = 8, most = 64;
  const bool is_tcp = packet.protocol == IpProtocol::tcp;
  if ((!is_tcp && packet.protocol != IpProtocol::udp) || packet.later_fragment) return 0;
  const std::size_t checksum = is_tcp ? 16 : 6;
  const auto bytes = packet.transport();
  if (bytes.size() < (is_tcp ? std::size_t{20} : sizeof(UdpHeader) + least)) return 0;
  std::uint64_t hash =
      keyed_hash(key, packet.ip_length, static_cast<std::uint8_t>(packet.protocol));
  for (std::size_t i = ports; i < std::min(bytes.size(), most); ++i)
    if (i != checksum && i != checksum + 1)
      hash = keyed_hash(key, hash, std::to_integer<std::uint64_t>(bytes[i]));
  return hash;
}

/// Both captures, seen with and without addresses.
class Comparison {
 public:
  Comparison(const LabelOptions& options, std::uint64_t seed)
      : options_(options), key_(HashKey::from_seed(seed)), seed_(seed) {}

  void read(Source& source, Point point) {
    IpLocator locator{seed_};
    std::array<Packet, 256> packets;
    std::array<IpPacket, 256> found;
    for (bool end = false; !end;) {
      const auto filled = source.next(packets);
      end = filled.end;
      const std::size_t count = locator.locate(std::span{packets}.first(filled.count), found);
      for (const IpPacket& packet : std::span{found}.first(count)) {
        const InvariantBytes invariant{packet, options_};
        cut_ += invariant.cut();
        add(same_, identity_of(packet, invariant, key_), packet.time, point);
        if (const std::uint64_t content = content_of(packet, key_))
          add(alike_, content, packet.time, point);
      }
    }
  }
  const std::vector<Duration>& same() const { return same_.differences(); }
  const std::vector<Duration>& alike() const { return alike_.differences(); }
  /// A packet in ten has its like, and not just a few that happen to be equal.
  bool seems_translated() const {
    constexpr std::size_t least = 8;
    return alike().size() >= least && alike().size() * 10 > alike_.remembered();
  }
  bool cut() const { return cut_ > 0; }

 private:
  static void add(SharedPackets& shared, std::uint64_t identity, Timestamp time, Point point) {
    point == Point::first ? shared.remember(identity, time) : shared.compare(identity, time);
  }

  LabelOptions options_;
  HashKey key_;
  std::uint64_t seed_;
  SharedPackets same_, alike_;
  std::uint64_t cut_ = 0;
};

}  // namespace

CaptureDiagnosis diagnose(const std::array<PointInput, 2>& inputs) {
  for (const Point point : {Point::first, Point::last})
    if (inputs[index_of(point)].packets == 0)
      return {.what = CaptureDiagnosis::What::no_packets, .point = point};
  const auto& [first, last] = inputs;
  const bool apart = *first.last < *last.first || *last.last < *first.first;
  return {.what = apart ? CaptureDiagnosis::What::apart_in_time
                        : CaptureDiagnosis::What::different_traffic};
}

CaptureDiagnosis diagnose(const std::array<PointInput, 2>& inputs, const LabelOptions& label,
                          std::uint64_t seed, Source& first, Source& last) {
  CaptureDiagnosis diagnosis = diagnose(inputs);
  if (diagnosis.what == CaptureDiagnosis::What::no_packets) return diagnosis;
  Comparison comparison{label, seed};
  comparison.read(first, Point::first);
  comparison.read(last, Point::last);
  diagnosis.cut = comparison.cut();
  if (!comparison.same().empty())
    return {.what = CaptureDiagnosis::What::beyond_the_window,
            .common = comparison.same().size(),
            .apart = median_of(comparison.same())};
  if (comparison.seems_translated())
    return {.what = CaptureDiagnosis::What::translated,
            .common = comparison.alike().size(),
            .apart = median_of(comparison.alike())};
  return diagnosis;
}

}  // namespace sojourn
