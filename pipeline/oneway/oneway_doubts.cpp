#include "pipeline/oneway/oneway_doubts.h"

#include <algorithm>
#include <string_view>

namespace sojourn {
namespace {

using What = OnewayDoubt::What;

std::optional<std::uint64_t> counter(const OnewayResult& result, std::string_view name) {
  for (const auto& [known, count] : result.counters)
    if (known == name) return count;
  return std::nullopt;
}

}  // namespace

std::vector<OnewayDoubt> doubts_of_common(const CommonPackets& common, Duration window) {
  if (common.count == 0) return {{.what = What::different_traffic}};
  const Duration apart = common.median < Duration{0} ? -common.median : common.median;
  if (apart > window) return {{.what = What::clocks_apart, .usual = common.median}};
  if (common.both_ways) return {{.what = What::both_ways}};
  if (common.negative_share > 0.95) return {{.what = What::swapped, .usual = common.median}};
  return {};
}

std::vector<OnewayDoubt> doubts_of_figures(const OnewayMeasurement& measured, double sampling) {
  const Distribution& delays = measured.delays;
  if (delays.empty()) return {};
  std::vector<OnewayDoubt> doubts;
  const bool said_already = measured.common.has_value();  // by doubts_of_common
  if (!said_already && !measured.clocks.offset && *delays.quantile(0.95) < Duration{0})
    doubts.push_back(
        {.what = What::swapped, .usual = *delays.quantile(0.5), .behind = -*delays.quantile(0.05)});
  const std::uint64_t fewer = std::min(measured.inputs[0].packets, measured.inputs[1].packets);
  if (auto matched = counter(measured.result, "matched"); matched && sampling == 1) {
    *matched += counter(measured.result, "matched-backward").value_or(0);
    if (*matched * 2 < fewer)
      doubts.push_back({.what = What::few_in_both, .count = *matched, .of = fewer});
  }
  if (const auto cut = counter(measured.result, "cut"); cut && *cut > 0)
    doubts.push_back({.what = What::cut_packets, .count = *cut});
  return doubts;
}

std::uint64_t backward_flows(const OnewayMeasurement& measured) {
  return static_cast<std::uint64_t>(
      std::ranges::count(measured.result.flows, Direction::backward, &FlowDelay::direction));
}

}  // namespace sojourn
