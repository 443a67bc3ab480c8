#pragma once
// Signs of loss counted by leg, and on request by group and time slice.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/kind.h"
#include "core/loss_sign.h"
#include "core/time.h"
#include "estimate/grouping.h"
#include "estimate/share_estimate.h"
#include "estimate/unanswered.h"

namespace sojourn {

/// The packets of one leg: those towards its end.
class LossCounts {
 public:
  /// `bits` has a bit per LossSign.  `flow` is a hash that identifies the flow.
  void add(std::uint16_t bits, double weight, std::uint64_t flow);
  void merge(const LossCounts& other);

  double weight(LossSign sign) const;
  /// Of segments or packets, see base_of().
  ShareEstimate share(LossSign sign) const;
  bool empty() const { return packets_seen_ == 0; }
  /// As many as were added, whatever their weights.
  std::uint64_t packets_seen() const { return packets_seen_; }

 private:
  using Groups = std::array<float, ClusteredCounts::groups>;
  std::array<Groups, loss_sign_count> weights_{};
  std::uint64_t packets_seen_ = 0, segments_seen_ = 0;
};

using LossByLeg = std::array<LossCounts, leg_count>;

/// At most `max_groups` groups and `max_slices` slices; the rest is only in the totals, and counted
/// in beyond_groups() and beyond_slices().
class LossTally {
 public:
  struct Options {
    std::optional<Grouping> grouping;
    std::size_t max_groups = 100'000;
    std::optional<Duration> window;
    std::size_t max_slices = 10'000;
    bool fixed_memory = false;  ///< answers have weights
  };

  LossTally() = default;
  explicit LossTally(const Options& options) : options_(options) {}
  const Options& options() const { return options_; }

  /// `sample` holds both ends and the leg, as for a sample started by the packet.
  void add(std::uint16_t bits, double weight, std::uint64_t flow, const Sample& sample);
  void merge(const LossTally& other);

  /// Whether requests have to be reported, for groups or slices.
  bool wants_requests() const {
    return options_.window || (options_.grouping && options_.grouping->fits_requests());
  }
  /// A request that waits for its response; `sample` holds both ends and its time.
  void ask(const Sample& sample);
  /// The response to a request that passed at `sample.time`.
  void answer(const Sample& sample);

  const LossCounts& leg(Leg leg) const { return total_[index_of(leg)]; }

  struct Row {
    GroupKey key;       ///< of a group
    std::string label;  ///< the same
    Timestamp start;    ///< of a slice
    Leg leg;
    const LossCounts* counts;
  };
  /// The groups with the most retransmitted and late segments first, or those with the highest
  /// share of them; groups with fewer segments than enough_to_rank come last then.
  std::vector<Row> groups(std::size_t limit, bool by_share = false) const;
  std::vector<Row> slices() const;

  /// Requests by kind of a group or a slice.
  struct RequestRow {
    std::string label;
    Timestamp start;
    Kind kind;
    std::uint64_t requests;
    ShareEstimate unanswered;
  };
  /// Most unanswered first, or the highest share among those with enough to rank.
  std::vector<RequestRow> request_groups(std::size_t limit, bool by_share = false) const;
  std::vector<RequestRow> request_slices() const;
  const std::optional<Duration>& window() const { return options_.window; }
  const std::optional<Grouping>& grouping() const { return options_.grouping; }

  /// Counts that are in no row, because there were too many rows: TCP packets in groups() or
  /// slices(), requests in request_groups() or request_slices().
  struct Beyond {
    std::uint64_t packets = 0, requests = 0;
    Beyond& operator+=(const Beyond& more) {
      packets += more.packets;
      requests += more.requests;
      return *this;
    }
  };
  const Beyond& beyond_groups() const { return beyond_groups_; }
  const Beyond& beyond_slices() const { return beyond_slices_; }

 private:
  struct Hash {
    std::size_t operator()(const GroupKey& key) const { return hash_of(key); }
  };

  Options options_;
  LossByLeg total_;
  std::unordered_map<GroupKey, LossByLeg, Hash> groups_;
  std::map<std::int64_t, LossByLeg> slices_;
  using RequestsByKind = std::array<RequestCounts, paired_kind_count>;
  void count(const Sample& sample, const RequestCounts& more);
  static RequestsByKind sum_of(const auto& rows);
  std::unordered_map<GroupKey, RequestsByKind, Hash> asking_groups_;
  std::map<std::int64_t, RequestsByKind> asking_slices_;
  Beyond beyond_groups_, beyond_slices_;
};

}  // namespace sojourn
