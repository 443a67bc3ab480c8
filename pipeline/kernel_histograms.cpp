#include "pipeline/kernel_histograms.h"

#include "estimate/distribution/flow_groups.h"

namespace sojourn {
namespace {

static_assert(DP_FLOW_GROUPS == FlowTag::groups && FlowTag::marks == 64);
static_assert(DP_BINS_A_CELL == FlowGroups::buckets_per_cell);
static_assert(DP_BIN_BITS == LogBuckets::mantissa_bits);

/// The kernel goes on adding to it.
std::uint64_t load(const __u64& word) { return *static_cast<const volatile __u64*>(&word); }
double weight_of(const __u64& word) { return static_cast<double>(load(word)) / DP_WEIGHT_ONE; }

}  // namespace

Distribution distribution_of(const DataplaneHistograms& histograms, const dp_config& config,
                             Kind kind, Leg leg) {
  Distribution distribution{Keep::histogram};
  const auto number = histogram_number(config, kind, leg);
  if (!number) return distribution;
  const auto bins = histograms.bins.subspan(*number * config.bins, config.bins);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const std::uint64_t samples = load(bins[i].samples);
    const double weight = weight_of(bins[i].weight), squares = weight_of(bins[i].squares);
    // A sample is counted after it is weighed, so whoever is counted has a weight.
    if (samples > 0 && weight > 0 && squares > 0)
      distribution.add_bucket_of_all(static_cast<std::int32_t>(i), weight, squares, samples);
  }
  if (distribution.empty()) return distribution;
  const std::size_t cells = config.bins / DP_BINS_A_CELL;
  for (std::size_t i = 0; i < cells; ++i) {
    FlowGroups::Row row;
    double sum = 0;
    for (std::size_t g = 0; g < row.size(); ++g)
      sum += row[g] = weight_of(histograms.cells[*number * cells + i].weight[g]);
    if (sum > 0) distribution.add_cell(static_cast<std::int32_t>(i), row);
  }
  for (unsigned g = 0; g < DP_FLOW_GROUPS; ++g)
    distribution.add_flow_marks(g, load(histograms.marks[*number].seen[g]));
  return distribution;
}

void put_histograms(const DataplaneHistograms& histograms, const dp_config& config,
                    Measurement& measurement) {
  for (std::size_t kind = 0; kind < paired_kind_count; ++kind)
    for (std::size_t leg = 0; leg < leg_count; ++leg)
      if (histogram_number(config, static_cast<Kind>(kind), static_cast<Leg>(leg)))
        measurement.put(
            static_cast<Kind>(kind), static_cast<Leg>(leg),
            distribution_of(histograms, config, static_cast<Kind>(kind), static_cast<Leg>(leg)));
}

}  // namespace sojourn
