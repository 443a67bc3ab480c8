#pragma once
// Only the packets within a time range.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capture/capture_log.h"
#include "capture/source.h"
#include "capture/time_bound.h"

namespace sojourn {

/// Passes on the packets of the range as if the capture held no others, and counts the rest in
/// `filtered`.  Reading ends a minute after the range: captures may step back in time, but not that
/// far.
class RangedSource final : public Source {
 public:
  RangedSource(std::unique_ptr<Source> source, const TimeRange& range)
      : source_(std::move(source)), range_(range) {}

  Filled next(std::span<Packet> batch) override;
  bool bytes_stay() const override { return source_->bytes_stay(); }
  const SourceCounters& counters() const override { return counters_; }
  /// Warns also if no packet is in the range, with the times of the packets that exist.
  std::span<const std::string> warnings() const override {
    return warnings_.empty() ? source_->warnings() : std::span<const std::string>{warnings_};
  }
  double progress() const override { return source_->progress(); }

 private:
  std::unique_ptr<Source> source_;
  TimeRange range_;
  std::optional<TimeRange::Resolved> resolved_;  ///< known after the first packet
  SourceCounters counters_;
  std::uint64_t passed_ = 0, kept_back_ = 0;
  PacketTally tally_;
  Timestamp earliest_ = Timestamp::max(), latest_ = Timestamp::min();  ///< of all packets
  std::vector<std::string> warnings_;  ///< the source's, and our own if any
};

}  // namespace sojourn
