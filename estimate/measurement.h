#pragma once
// The results of a run: a distribution per kind and leg, counters, and on request groups and time
// slices.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/flow_tag.h"
#include "core/kind.h"
#include "core/left_out.h"
#include "core/sample.h"
#include "core/unclear.h"
#include "estimate/delay_heatmap.h"
#include "estimate/distribution/distribution.h"
#include "estimate/group_order.h"
#include "estimate/grouping.h"
#include "estimate/groups.h"
#include "estimate/windows.h"

namespace sojourn {

/// What happened to the requests of a kind.  The number of samples is its distribution's count():
///
///     requests = samples + ambiguous + left_out.total() + Measurement::unmatched_requests()
///
/// counts each request once, whatever the table; the weights represent those left out.
struct KindCounters {
  std::uint64_t requests = 0;
  std::uint64_t ambiguous = 0;     ///< sent more than once (Karn), or `unclear`: no sample
  std::uint64_t guessed_legs = 0;  ///< samples with a guessed leg: the capture lacks the SYN
  /// tcp: segments larger than a packet on the wire, joined or not yet split by an interface
  /// (offloads); and how many of these were too many to be matched, and so were not requests.
  std::uint64_t super_packets = 0, super_packets_left_out = 0;
  LeftOutCounters left_out = {};   ///< what the table left out, by reason
  double estimated_ambiguous = 0;  ///< their weights: the estimated true number
  UnclearCounters unclear = {};    ///< response, tls: the ambiguous by reason

  KindCounters& operator+=(const KindCounters& other);
};

struct MeasurementOptions {
  Keep keep = Keep::every_sample;
  std::optional<Duration> window;
  std::size_t max_slices = Windows::default_max_slices;
  bool heatmap = false;
  Duration heatmap_column = std::chrono::milliseconds{1};  ///< initially
  std::optional<Grouping> grouping;
  std::size_t max_groups = Groups::default_max_groups;
  std::optional<Timestamp> split;   ///< with `grouping`: keep samples before and after separate
  bool keep_ambiguous = false;      ///< requests sent more than once are among the samples
  bool weights_are_counts = false;  ///< a sample represents as many requests as its weight
};

/// The figures of one run.  Each thread has its own; merge() joins them.
///
/// A kind's headline figure pools its legs, except if Leg::sum exists: a whole handshake must not
/// be averaged with its own halves.  So the headline of handshake, flow, quic and tls is their sum
/// leg, even if only halves were measured: requests are counted for the whole too.  Groups and
/// slices are not pooled: they are kept by leg.
class Measurement {
 public:
  explicit Measurement(const MeasurementOptions& options = {});

  /// The fast path without groups: a few nanoseconds.  Always inlined: with one more table g++ no
  /// longer did that by itself, which cost every run 1.8 % more instructions.
  [[gnu::always_inline]] void add_light(Kind kind, Leg leg, Timestamp response_time, Duration delay,
                                        double weight, FlowTag flow) {
    if (weight == 1)
      add_plain(kind, leg, delay, flow);
    else
      add_weighted(kind, leg, delay, weight, flow);
    if (over_time_) [[unlikely]]
      add_over_time(kind, leg, response_time, delay, weight, flow);
  }
  /// The same for a sample of weight 1, if not is_over_time().
  [[gnu::always_inline]] void add_plain(Kind kind, Leg leg, Duration delay, FlowTag flow) {
    Waiting& waiting = waiting_[index_of(kind)][index_of(leg)];
    const std::uint32_t count = waiting.count;
    waiting.delays_ns[count] = delay.count();
    waiting.flows[count] = flow;
    waiting.count = count + 1;
    if (count + 1 == waiting.delays_ns.size()) [[unlikely]]
      settle(kind, leg);
  }
  [[gnu::always_inline]] void add_weighted(Kind kind, Leg leg, Duration delay, double weight,
                                           FlowTag flow) {
    WaitingWeighted& waiting = weighted_[index_of(kind)][index_of(leg)];
    const std::uint32_t count = waiting.count;
    waiting.delays_ns[count] = delay.count();
    waiting.weights[count] = weight;
    waiting.flows[count] = flow;
    waiting.count = count + 1;
    if (count + 1 == waiting.delays_ns.size()) [[unlikely]]
      settle(kind, leg);
  }
  /// Whether samples also go into slices of time or a heatmap.
  bool is_over_time() const { return over_time_; }
  /// A sample without a flow counts as its own flow.
  void add_light(Kind kind, Leg leg, Timestamp response_time, Duration delay, double weight = 1) {
    add_light(kind, leg, response_time, delay, weight, next_stranger());
  }
  /// The general path: also into the sample's group.
  void add(const Sample& sample) {
    const FlowTag flow = sample.flow != 0 ? FlowTag::of(sample.flow) : next_stranger();
    add_light(sample.kind, sample.leg, sample.time, sample.delay, sample.weight, flow);
    if (groups_) add_to_group(sample, flow);
  }
  /// Replaces all samples of a leg by sums computed elsewhere.
  void put(Kind kind, Leg leg, Distribution distribution) {
    legs_[index_of(kind)][index_of(leg)] = std::move(distribution);
    pooled_[index_of(kind)].reset();
  }

  KindCounters& counters(Kind kind) { return counters_[index_of(kind)]; }
  const KindCounters& counters(Kind kind) const { return counters_[index_of(kind)]; }

  /// Requests without a response until the end or the expiry: neither sample nor ambiguous nor left
  /// out.
  std::uint64_t unmatched_requests(Kind kind) const;
  /// By weights: how many of all requests were answered, ambiguous ones included, and how many were
  /// not (0 where that would be negative).
  double estimated_answered(Kind kind) const;
  double estimated_unanswered(Kind kind) const;

  /// `other` was made with the same options.
  void merge(Measurement&& other);

  const Distribution& leg(Kind kind, Leg leg) const {
    settle(kind, leg);
    return legs_[index_of(kind)][index_of(leg)];
  }
  /// The headline figure.  Built at the first call after an add, and cached; valid until the next
  /// add.
  const Distribution& pooled(Kind kind) const;
  std::uint64_t samples() const;  ///< of all headline figures together

  /// The contents of a group, by name.
  struct Group {
    std::string label;
    GroupKey key;
    Kind kind;
    Leg leg;
    const Distribution* distribution;
  };
  /// The groups with the most samples first; ties in order of their label.
  std::vector<Group> largest_groups(std::size_t limit) const {
    return groups_by(GroupOrder::samples, limit);
  }
  /// In this order; ties in order of their label.
  std::vector<Group> groups_by(GroupOrder order, std::size_t limit) const;
  /// Its delays, or nullptr.
  const Distribution* find_group(const GroupId& id) const {
    return groups_ ? groups_->find(id) : nullptr;
  }
  /// All groups of a kind, by leg, in no particular order and without names; valid until the next
  /// add.
  std::vector<Groups::Entry> groups_of(Kind kind) const;
  /// A group with samples on both sides of MeasurementOptions::split.
  struct SplitGroup {
    GroupId id;
    const Distribution* before;
    const Distribution* after;
  };
  /// In no particular order; valid until the next add.
  std::vector<SplitGroup> groups_at_split() const;
  const std::optional<Timestamp>& split() const { return split_; }
  const std::optional<Grouping>& grouping() const { return grouping_; }
  std::size_t group_count() const { return groups_ ? groups_->size() : 0; }
  std::uint64_t samples_beyond_groups() const { return groups_ ? groups_->overflowed() : 0; }

  struct WindowRow {
    Timestamp start;
    Kind kind;
    Leg leg;
    const Distribution* distribution;
  };
  /// In order of time, then kind, then leg; only what has samples.
  std::vector<WindowRow> window_rows() const;
  std::optional<Duration> window() const;
  /// If requested.
  const DelayHeatmap* heatmap() const { return heatmap_ ? &*heatmap_ : nullptr; }
  DelayHeatmap* heatmap() { return heatmap_ ? &*heatmap_ : nullptr; }
  std::uint64_t samples_beyond_windows() const { return windows_ ? windows_->overflowed() : 0; }

 private:
  using Legs = std::array<Distribution, leg_count>;

  /// Delays of weight 1 queued for a distribution: adding many at once is faster than one by one
  /// (callgrind, all kinds: 40 fewer instructions a sample).
  struct Waiting {
    std::uint32_t count = 0;
    std::array<FlowTag, 102> flows;
    std::array<std::int64_t, 102> delays_ns;
  };

  static_assert(sizeof(Waiting) == 1024);  // the place of one is a shift

  /// The same for other weights.
  struct WaitingWeighted {
    std::uint32_t count = 0;
    std::array<FlowTag, 56> flows;
    std::array<std::int64_t, 56> delays_ns;
    std::array<double, 56> weights;
  };

  FlowTag next_stranger() { return FlowTag::numbered(++strangers_); }
  void settle(Kind kind, Leg leg) const;
  void add_over_time(Kind kind, Leg leg, Timestamp time, Duration delay, double weight,
                     FlowTag flow);
  void add_to_group(const Sample& sample, FlowTag flow);

  mutable std::array<Legs, kind_count> legs_;
  mutable std::array<std::array<Waiting, std::bit_ceil(leg_count)>, kind_count> waiting_;
  mutable std::array<std::array<WaitingWeighted, leg_count>, kind_count> weighted_;
  std::array<KindCounters, kind_count> counters_{};
  bool keep_ambiguous_, weights_are_counts_;
  std::uint64_t strangers_ = 0;  ///< samples without a known flow
  std::optional<Grouping> grouping_;
  std::optional<Groups> groups_;
  std::optional<Timestamp> split_;
  std::optional<Groups> before_;  ///< of the groups, what came before `split_`; if there is one
  std::optional<Groups> after_;
  std::optional<Windows> windows_;
  std::optional<DelayHeatmap> heatmap_;
  bool over_time_;  ///< one of the two is requested
  mutable std::array<std::optional<Distribution>, kind_count> pooled_;
};

}  // namespace sojourn
