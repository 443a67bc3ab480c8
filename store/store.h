#pragma once
// Where a collector stores its results, and `sojourn query` reads them.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "store/cells.h"
#include "store/ledger.h"
#include "store/marks/mark_count.h"
#include "store/raw_packet.h"
#include "store/references/reference_visitor.h"

namespace sojourn {

/// What is stored atomically.
struct StoreWrite {
  Timestamp now{};  ///< by the collector's clock: decides what is old
  /// Loss of packets sent before this is final; for later packets some may still arrive.
  Timestamp judged_until{};
  std::span<const std::string> subjects;  ///< names of CellSeries::subject
  std::span<const std::pair<CellSeries, CellBlock>> blocks;
  /// Totals; they replace the old ones.  `stored` becomes `joined`, since its cells are in
  /// `blocks`.
  std::span<const PointLedger> ledgers;
  std::span<const SegmentClock> clocks;
  std::span<const RawPacket> packets = {};  ///< for a store that keeps them
  /// The same count of the same run twice is one.
  std::span<const PointMarks> marks = {};
  std::span<const PointReferences> references = {};  ///< likewise
};

/// A part of what is stored.
struct StoreRead {
  std::string subject;
  std::uint8_t measure = 0;
  Timestamp from{}, to{};
  /// The longest slice that may be used; slices of several lengths may come.
  Duration longest_slice = Duration::max();
};

/// Slices of one length, and how long they are kept.
struct Tier {
  Duration slice;
  Duration kept;
};
inline constexpr std::array<Tier, 4> default_tiers = {{
    {std::chrono::seconds{10}, std::chrono::hours{48}},
    {std::chrono::minutes{1}, std::chrono::hours{24 * 14}},
    {std::chrono::minutes{10}, std::chrono::hours{24 * 90}},
    {std::chrono::hours{6}, std::chrono::hours{24 * 365 * 5}},
}};

/// How long after its end a slice is merged into the next tier: late cells are added to both.
inline constexpr Duration merge_lateness = std::chrono::minutes{2};

/// How long counts of marking points are kept, and delays by reference packets.
inline constexpr Duration marks_kept = default_tiers[0].kept;

/// When a store was last written to, and up to when its losses are known; unknown if never.
struct StoreAge {
  std::optional<Timestamp> written;
  std::optional<Timestamp> judged_until;
};

struct SubjectSummary {
  std::string name;
  std::vector<std::uint8_t> measures;
};

/// The slice's beginning and length, leg and prefix (`subject` and `measure` are those requested).
using BlockVisitor = std::function<void(const CellSeries&, Duration length, const CellBlock&)>;

class Store {
 public:
  virtual ~Store() = default;

  /// All of it, or an error and nothing: it may be retried.
  virtual Result<void> write(const StoreWrite& write) = 0;

  /// Whether it stores the selected packets themselves, and joins them.
  virtual bool wants_packets() const { return false; }

  virtual Result<std::vector<PointLedger>> ledgers() = 0;
  virtual Result<StoreAge> age() = 0;
  virtual Result<std::vector<SubjectSummary>> subjects() = 0;
  virtual Result<std::optional<SegmentClock>> clock(const std::string& subject, Timestamp from,
                                                    Timestamp to) = 0;
  virtual Result<void> read(const StoreRead& read, const BlockVisitor& visit) = 0;
  /// What the runs of a marking point counted in intervals that begin in this time; runs in the
  /// order of their begin, counts in that of time.
  virtual Result<std::vector<PointMarks>> marks(const std::string& point, Timestamp from,
                                                Timestamp to) {
    (void)point, (void)from, (void)to;
    return std::vector<PointMarks>{};
  }
  /// What reference packets showed at a point, or at all: points by name, their runs in the order
  /// of their begin, intervals in that of time.
  virtual Result<void> references(const ReferenceQuestion& question,
                                  const ReferenceVisitor& visit) {
    (void)question, (void)visit;
    return {};
  }
  /// The end of the newest slice of the subject; nullopt if there is none.
  virtual Result<std::optional<Timestamp>> newest(const std::string& subject) = 0;
};

/// For writing; created if it does not exist.  "sojourn.db" is a file,
/// "clickhouse://host1,host2/database" a database on these shards.
Result<std::unique_ptr<Store>> open_store(const std::string& name);
/// For reading; the store must exist.
Result<std::unique_ptr<Store>> open_store_for_reading(const std::string& name);
/// The same, with one-way delays joined again by the store itself, from the packets it keeps.
Result<std::unique_ptr<Store>> open_store_for_joining(const std::string& name);

}  // namespace sojourn
