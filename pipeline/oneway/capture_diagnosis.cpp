#include "pipeline/oneway/capture_diagnosis.h"

#include <array>
#include <functional>
#include <unordered_map>
#include <vector>

#include "core/hash.h"
#include "oneway/label.h"
#include "oneway/median_of.h"
#include "wire/ip_packet.h"

namespace sojourn {
namespace {

/// Packets that both captures hold, whatever their times: a sample chosen by their identity, so
/// that the same ones are looked at in both.
class SharedPackets {
 public:
  SharedPackets(const LabelOptions& options, std::uint64_t seed)
      : options_(options), key_(HashKey::from_seed(seed)), seed_(seed) {}

  void remember(Source& first) {
    each(first, [&](std::uint64_t identity, Timestamp time) {
      if (identity > limit_) return;
      times_.emplace(identity, time);
      if (times_.size() < most) return;
      limit_ /= 2;
      std::erase_if(times_, [&](const auto& entry) { return entry.first > limit_; });
    });
  }
  void compare(Source& last) {
    each(last, [&](std::uint64_t identity, Timestamp time) {
      if (identity > limit_) return;
      if (const auto found = times_.find(identity);
          found != times_.end() && differences_.size() < most)
        differences_.push_back(difference(time, found->second));
    });
  }

  /// Of the times at which a common packet was seen, last point's minus first point's.
  const std::vector<Duration>& differences() const { return differences_; }
  std::uint64_t cut() const { return cut_; }

 private:
  static constexpr std::size_t most = 1'000'000;

  void each(Source& source, const std::function<void(std::uint64_t, Timestamp)>& visit) {
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
        visit(identity_of(packet, invariant, key_), packet.time);
      }
    }
  }

  LabelOptions options_;
  HashKey key_;
  std::uint64_t seed_;
  std::uint64_t limit_ = ~std::uint64_t{0};
  std::unordered_map<std::uint64_t, Timestamp> times_;
  std::vector<Duration> differences_;
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
  SharedPackets common{label, seed};
  common.remember(first);
  common.compare(last);
  diagnosis.cut = common.cut() > 0;
  if (common.differences().empty()) return diagnosis;
  return {.what = CaptureDiagnosis::What::beyond_the_window,
          .common = common.differences().size(),
          .apart = median_of(common.differences())};
}

}  // namespace sojourn
