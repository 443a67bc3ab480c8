#pragma once
// Several captures as one, in the order of time.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capture/capture_log.h"
#include "capture/source.h"

namespace sojourn {

/// Takes from the source with the earliest next packet; for equal times, from the first source.
///
/// Packets within one source that go back in time are not reordered: that would need unbounded
/// memory.  They are counted in the merged order.
class MergedSource final : public Source {
 public:
  explicit MergedSource(std::vector<std::unique_ptr<Source>> sources);

  Filled next(std::span<Packet> batch) override;
  bool bytes_stay() const override { return bytes_stay_; }
  const SourceCounters& counters() const override { return counters_; }
  std::span<const std::string> warnings() const override { return warnings_; }
  double progress() const override;

 private:
  static constexpr std::size_t lane_batch = 256;

  /// One source and its packets that have not been returned yet.
  struct Lane {
    std::unique_ptr<Source> source;
    std::vector<Packet> packets;
    std::size_t next = 0;
    std::size_t count = 0;
    std::size_t warnings_seen = 0;
    bool ended = false;

    Timestamp time() const { return packets[next].time; }
    bool empty() const { return next == count; }
  };

  bool refill();
  std::size_t merge(std::span<Packet> batch);
  void sum_up();

  std::vector<Lane> lanes_;
  std::vector<std::size_t> heap_;  ///< lanes with packets, the earliest in front
  PacketTally tally_;
  SourceCounters counters_;
  std::vector<std::string> warnings_;
  bool bytes_stay_ = true;
};

}  // namespace sojourn
