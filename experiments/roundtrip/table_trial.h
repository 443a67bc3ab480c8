#pragma once
// A table of `sojourn rtt` on a trace with a known truth, and its errors.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/hash.h"
#include "core/kind.h"
#include "estimate/distribution/inverse_variance.h"
#include "lab/request_trace.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/pair_table.h"
#include "roundtrip/table_batch.h"

namespace sojourn {

/// The metric of both papers and of all comparisons here: |log2(estimated / true)|, in octaves.
struct TrialErrors {
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double worst = 0;       ///< the largest over the percentiles 5 to 95
  double signed_p50 = 0;  ///< log2(estimated / true)
  double total = 0;       ///< estimated number of pairs by the true one
  double samples = 0;
};

/// The quantiles of the truth, computed once a trace.
class TrialTruth {
 public:
  explicit TrialTruth(const RequestTrace& trace);
  /// Without any sample, each error is ten octaves.
  TrialErrors judge(std::span<const FridgeSample> samples) const;
  /// For delays in nanoseconds, estimated at the requested quantiles; total and samples stay 0.
  TrialErrors judge_quantiles(std::span<const double> estimated_ns) const;
  /// 5 to 95 per cent, and 99.
  std::span<const double> quantiles_asked() const { return qs_; }

 private:
  static constexpr std::size_t quantiles = 92;  ///< 5 to 95, and 99
  std::array<double, quantiles> qs_;
  std::array<double, quantiles> delays_ns_;
  double pairs_;
};

/// The trace through the table in batches, as in the pipeline.  The seed draws the keys: many seeds
/// show the table's average result for the same traffic.
template <PairTable Table>
std::vector<FridgeSample> samples_of(const RequestTrace& trace, Table table, std::uint64_t seed) {
  constexpr std::size_t batch_size = 128;
  const HashKey hash_key = HashKey::from_seed(seed);
  std::array<PairEvent, batch_size> batch;
  BatchOutcome outcome;
  std::vector<FridgeSample> samples;
  for (std::size_t start = 0; start < trace.events.size(); start += batch_size) {
    const std::size_t count = std::min(batch_size, trace.events.size() - start);
    for (std::size_t i = 0; i < count; ++i) {
      const TraceEvent& event = trace.events[start + i];
      batch[i] = {keyed_hash(hash_key, event.id, 0x5eed),
                  timestamp_from_ns(event.ns),
                  0,
                  {},
                  Kind::tcp,
                  Leg::server,
                  event.is_request,
                  0};
    }
    apply_batch(table, std::span{batch.data(), count}, outcome);
    for (const EventMatch& found : outcome.matches())
      samples.push_back({found.match.delay.count(), found.match.weight, found.match.fridge});
  }
  return samples;
}

/// The median over the seeds, number by number: one unlucky seed does not decide.
TrialErrors median_of(std::span<const TrialErrors> trials);

}  // namespace sojourn
