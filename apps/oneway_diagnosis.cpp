#include "apps/oneway_diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>
#include <vector>

#include "apps/oneway_input.h"
#include "core/units.h"
#include "oneway/label.h"

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
      ++looked_at_;
      if (const auto found = times_.find(identity);
          found != times_.end() && differences_.size() < most)
        differences_.push_back(difference(time, found->second));
    });
  }

  std::size_t count() const { return differences_.size(); }
  std::uint64_t cut() const { return cut_; }
  /// Half of the common packets are further apart, half nearer.
  Duration usual_difference() {
    const auto middle = differences_.begin() + static_cast<std::ptrdiff_t>(differences_.size() / 2);
    std::ranges::nth_element(differences_, middle);
    return *middle;
  }

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
  std::uint64_t looked_at_ = 0, cut_ = 0;
};

/// As the option takes it, to the millisecond: that brings the rest within any window.
std::string as_option(Duration offset) {
  return fmt::format("--clock-offset={:.3f}s", static_cast<double>(offset.count()) * 1e-9);
}

std::string nothing_in_common(const OnewayRequest& request, const PointInput& first,
                              const PointInput& last, bool cut) {
  if (*first.last < *last.first)
    return fmt::format(
        "no packet of {} is in {}, and they do not overlap in time: the former ends at {}, the "
        "latter begins at {}",
        request.first, request.last, format_time(*first.last), format_time(*last.first));
  if (*last.last < *first.first)
    return fmt::format(
        "no packet of {} is in {}, and they do not overlap in time: the latter ends at {}, the "
        "former begins at {}",
        request.first, request.last, format_time(*last.last), format_time(*first.first));
  std::string text = fmt::format(
      "no packet of {} is in {}: they seem to be captures of different traffic "
      "(addresses and ports must be the same at both points)",
      request.first, request.last);
  if (cut) text += "; packets were cut short by the capture, so a smaller --payload-bytes may help";
  return text;
}

}  // namespace

std::string doubt_about(const OnewayRequest& request, const CommonPackets& common) {
  if (common.count == 0)
    return fmt::format(
        "no packet of {} is in {}: they seem to be captures of different traffic, or of another "
        "time",
        request.first, request.last);
  const Duration apart = common.median < Duration{0} ? -common.median : common.median;
  if (apart > request.options.window)
    return fmt::format(
        "the same packets are about {} apart, beyond --window {}: LAST's clock seems to be {} "
        "FIRST's; try {}",
        format_duration(apart), format_duration(request.options.window),
        common.median < Duration{0} ? "behind" : "ahead of",
        as_option(common.median + request.clock_offset));
  if (common.negative_share > 0.95)
    return fmt::format(
        "nearly all packets were at {} before they were at {} (median {}): the captures seem to be "
        "swapped, "
        "or LAST's clock is behind by that much or more",
        request.last, request.first, format_duration(common.median));
  return {};
}

std::string diagnose(const OnewayRequest& request, const PointInput& first,
                     const PointInput& last) {
  for (const auto& [name, input] :
       {std::pair{&request.first, &first}, std::pair{&request.last, &last}})
    if (input->packets == 0)
      return fmt::format("{} holds no IP packets{}", *name,
                         request.filter.empty() ? "" : " that match --filter");
  if (request.first == "-" || request.last == "-")
    return nothing_in_common(request, first, last, false);
  auto first_source = open_point(request, Point::first),
       last_source = open_point(request, Point::last);
  if (!first_source || !last_source) return nothing_in_common(request, first, last, false);
  SharedPackets common{request.options.label, request.options.seed};
  common.remember(**first_source);
  common.compare(**last_source);
  if (common.count() == 0) return nothing_in_common(request, first, last, common.cut() > 0);
  const Duration apart = common.usual_difference();
  return fmt::format(
      "{} packets are in both captures, but about {} apart, beyond --window {}: LAST's clock seems "
      "to be {} FIRST's; try {}",
      format_count(common.count()), format_duration(apart < Duration{0} ? -apart : apart),
      format_duration(request.options.window), apart < Duration{0} ? "behind" : "ahead of",
      as_option(apart));
}

}  // namespace sojourn
