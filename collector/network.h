#pragma once
// The points a collector has heard of, and the segments between them.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/pair_clock.h"
#include "collector/report/point_report.h"
#include "collector/same_name.h"
#include "collector/seen_reports.h"
#include "core/time.h"
#include "store/ledger.h"

namespace sojourn {

/// What a point reports.  One of each may have the same name, as those of one router.
enum class PointKind : std::uint8_t { flows, marks, references, count_ };

/// One run of a point.
struct Instance {
  PointLedger ledger;
  SeenReports reports;
  std::uint32_t place = 0;
  Timestamp begin{};  ///< by its own clock: what passed before, it has not seen
  bool changed = true;
  PointKind kind = PointKind::flows;
};

/// A point by its name, whichever instance.
struct Place {
  std::string name;
  std::uint32_t subject = 0;
  std::optional<Selection> selection;
  std::uint32_t selection_number = 0;  ///< equal for equal selections; 0: not known
  std::optional<ClockState> clock;
  Timestamp last_heard{};
  Timestamp begin{};  ///< of its newest instance
  /// The least of late of arrival less end of a record: with it, a record's lateness.
  std::optional<Duration> least_lag, least_lag_before;
  Timestamp lag_since{};
  std::vector<std::uint32_t> outgoing;  ///< segments
  std::array<SameName, static_cast<std::size_t>(PointKind::count_)> same_names = {};

  /// How much longer than usual this took to come.
  Duration lateness(Duration lag, Timestamp now);
};

/// Traffic from one point to another.
struct Segment {
  std::uint32_t from = 0, to = 0;  ///< places
  std::uint32_t subject = 0;
  std::optional<std::uint32_t> reverse;  ///< the same points the other way
  bool named = false;                    ///< by the user: all that goes there takes it
  std::unordered_map<std::uint64_t, Timestamp> leads;  ///< prefixes by hash, last met
};

/// Two points that have met the same packets.
struct Pair {
  std::uint32_t x = 0, y = 0;  ///< places, x < y
  PairClock clock;
  std::optional<std::uint32_t> forward, backward;  ///< segments
  std::uint64_t steps_told = 0;
  bool allowed = true;  ///< false: beside the path that was named
  bool named = false;
  /// Record pairs that wait until the first readings have shown which way is which.
  bool ready = false;
  Timestamp first_met{};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> candidates;
};

/// Bounded: what comes beyond `most_places` is not taken.
class Network {
 public:
  static constexpr std::size_t most_places = 1024;

  explicit Network(std::vector<std::string> path);

  /// nullopt if there are too many.
  std::optional<std::uint32_t> place_named(const std::string& name);
  Pair& pair_of(std::uint32_t a, std::uint32_t b);
  /// The segment in this direction of the pair; it is made if it is new.
  std::uint32_t segment_of(Pair& pair, bool forward);
  /// 1 and up, equal for equal selections.
  std::uint32_t number_of(const Selection& selection);

  std::vector<Place> places;
  std::vector<Segment> segments;
  std::vector<Pair> pairs;
  std::vector<std::string> subjects;

 private:
  std::uint32_t add_subject(std::string name);

  std::vector<std::string> path_;
  std::unordered_map<std::string, std::uint32_t> place_numbers_;
  std::unordered_map<std::uint64_t, std::uint32_t> pair_numbers_;
  std::vector<Selection> selections_;
};

/// Equal for equal selections, in every collector.
std::uint64_t key_of(const Selection& selection);

/// In what two selections differ: "sampling 0.01 and 0.02"; empty if in nothing.
std::string difference_of(const Selection& a, const Selection& b);

}  // namespace sojourn
