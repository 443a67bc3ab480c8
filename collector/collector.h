#pragma once
// Records of many points in, delays and losses of the segments between them out.
//
//     Collector collector{options};
//     collector.resume(ledgers of the store);
//     ...  collector.take(report, now);  ...
//     collector.advance(now);
//     if (store.write(collector.to_store(now))) collector.stored();

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "collector/marking_watch.h"
#include "collector/network.h"
#include "collector/report/point_report.h"
#include "collector/waiting_records.h"
#include "store/cell_batch.h"
#include "store/store.h"

namespace sojourn {

struct CollectorOptions {
  Duration window = std::chrono::seconds{10};  ///< largest plausible delay, either way
  Duration wait = std::chrono::seconds{60};    ///< how long a record waits for its partner
  Duration warm_up = std::chrono::seconds{10};
  /// Longer than a gap within a record: what began before a point did is over after it.
  Duration start_guard = std::chrono::seconds{15};
  std::size_t memory_bytes = std::size_t{256} << 20;  ///< of waiting records
  std::uint8_t v4_prefix = 24, v6_prefix = 48;        ///< groups by destination
  std::size_t most_prefixes = 20'000;                 ///< the rest has one group of its own
  std::size_t most_cells = 8'000'000;                 ///< that wait for the store
  std::vector<std::string> path;                      ///< names of points in a row
  bool keep_packets = false;                          ///< for a store that joins by itself
  std::size_t most_packets = 2'000'000;               ///< that wait for the store
  std::size_t most_counts = 2'000'000;                ///< of marks and references, likewise
};

/// Two records of a flow at different points that share a label are joined: that packet's delay is
/// known.  A pair of points with joined records is a segment in each direction that has traffic.
/// Memory is fixed but for the cells, which `congested` bounds.  It reads no clock.
class Collector {
 public:
  explicit Collector(const CollectorOptions& options);

  /// Goes on where another collector stopped: what it had stored is not counted again.
  void resume(std::span<const PointLedger> ledgers);

  void take(const PointReport& report, Timestamp now);
  /// Time passes: what has waited long enough is judged.
  void advance(Timestamp now);
  /// No report will follow: joined records are counted; the others do not count as loss.
  void finish(Timestamp now);

  /// Everything since the last `stored`.  Valid until the next call of a member.
  StoreWrite to_store(Timestamp now);
  /// The last to_store is in the store.
  void stored();
  /// Too many cells wait because the store does not accept them: do not read from points now.
  bool congested() const {
    return cells_.size() > options_.most_cells || packets_.size() > options_.most_packets ||
           counts_ > options_.most_counts;
  }

  /// A point of marks or references fell silent, came back or ended: whoever asks should hear of it
  /// soon.
  bool has_news() const { return has_news_; }

  /// Sentences for the log, each cause at most once a day.
  std::vector<std::string> take_notices() { return std::exchange(notices_, {}); }
  std::vector<PointLedger> ledgers() const;
  std::size_t waiting() const { return waiting_.size(); }

 private:
  // collector.cpp: reports and ledgers
  Instance* instance_of(const PointReport& report, Timestamp now);
  void learn(Place& place, Instance& instance, const PointReport& report, Timestamp now);
  void take_cells(const Place& place, Instance& instance, std::span<const RttCell> cells);
  void keep_packets(const Place& place, const PointReport& report);
  void take_marks(Instance& instance, const PointReport& report);
  void take_references(Instance& instance, const PointReport& report);
  void look_for_same_name(Instance& instance, const PointReport& report, Timestamp now);
  void tell(const MarkingNews& news);
  void notice(const std::string& cause, std::string sentence, Timestamp now);

  // joining.cpp: labels
  void take_record(const FlowRecord& record, std::uint32_t instance, std::uint64_t flow,
                   Timestamp now);
  void meet(std::uint64_t a, std::uint64_t b, Timestamp now);
  void join(Pair& pair, std::uint64_t a, std::uint64_t b, Timestamp now);
  void take_reading(Pair& pair, const FlowKey& key, Timestamp sent, std::int64_t ns);
  void make_ready(Pair& pair, Timestamp now);
  std::optional<std::uint32_t> likely_segment(const Pair& pair, const FlowKey& key) const;
  void mark_joined(WaitingRecord& record);

  // judging.cpp: what is lost
  enum class Leaving : std::uint8_t { in_time, no_room, at_end };
  void expire_oldest(Timestamp now, Leaving why);
  void note_lead(Segment& segment, const IpAddress& destination, Timestamp now);
  void judge(const WaitingRecord& record, Timestamp now);
  bool can_be_judged(const WaitingRecord& record, const Segment& segment, Timestamp now) const;
  bool began_before_points(const WaitingRecord& record, const Segment& segment) const;
  void book(const Segment& segment, const WaitingRecord& record, Timestamp at, LossBin bin);

  CellSeries series_of(std::uint32_t subject, Timestamp at, Measure measure,
                       const IpAddress& destination);
  std::uint64_t lead_of(const IpAddress& destination) const;
  PointLedger& ledger_of(const WaitingRecord& record) { return instances_[record.instance].ledger; }

  CollectorOptions options_;
  HashKey hash_key_;
  Network network_;
  std::vector<Instance> instances_;
  std::map<std::pair<std::string, std::uint64_t>, std::uint32_t> instance_numbers_;
  WaitingRecords waiting_;
  CellBatch cells_;
  std::vector<RawPacket> packets_;
  std::vector<PointMarks> marks_;
  std::vector<PointReferences> references_;
  std::size_t counts_ = 0;  ///< in these two
  MarkingWatch watch_;
  bool has_news_ = false;
  std::unordered_set<std::uint64_t> prefixes_;
  std::vector<PointLedger> ledgers_;
  std::vector<SegmentClock> clocks_;
  std::map<std::string, Timestamp> noticed_;
  std::vector<std::string> notices_;
};

}  // namespace sojourn
