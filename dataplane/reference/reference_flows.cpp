#include "dataplane/reference/reference_flows.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "dataplane/kernel/reference/interpolation.h"

namespace sojourn {
namespace {

__extension__ using Wide = __int128;

/// All records of one flow together.
struct Sums {
  std::uint64_t packets = 0, estimated = 0, left_only = 0;
  Wide delays = 0, squares = 0;  ///< in 2^-16 ns and 2^-32 ns^2

  void add(const rp_flow& record) {
    packets += rp_packets(&record);
    estimated += (std::uint64_t{record.estimated_high} << 32) + record.estimated;
    left_only += record.left_only;
    delays += joined(record.delays_high, record.delays_low);
    squares += joined(record.delay_squares_high, record.delay_squares_low);
  }
  static Wide joined(std::int64_t high, std::uint64_t low) {
    return static_cast<Wide>(high) * (Wide{1} << 64) + static_cast<Wide>(low);
  }
};

IpAddress address_of(const __u8 (&bytes)[16], bool is_ipv6) {
  const auto* const at = reinterpret_cast<const std::byte*>(bytes);
  return is_ipv6 ? IpAddress::v6(std::span<const std::byte, 16>{at, 16})
                 : IpAddress::v4(std::span<const std::byte, 4>{at, 4});
}

FlowKey key_of(const rp_key& key) {
  return {address_of(key.source, key.is_ipv6), address_of(key.destination, key.is_ipv6),
          __builtin_bswap16(key.source_port), __builtin_bswap16(key.destination_port),
          key.protocol};
}

}  // namespace

std::vector<ReferenceFlow> reference_flows(std::span<const rp_group> groups,
                                           std::span<const rp_key> keys,
                                           std::span<const rp_gap> gaps, std::int64_t base_ns) {
  std::map<FlowKey, Sums> sums;
  for (std::size_t group = 0; group < groups.size(); ++group)
    for (std::size_t way = 0; way < RP_WAYS; ++way) {
      rp_flow record = groups[group].way[way];
      if (record.flow == 0) continue;
      rp_fold_by(&record, &gaps[record.gap % gaps.size()]);
      sums[key_of(keys[group * RP_WAYS + way])].add(record);
    }
  std::vector<ReferenceFlow> flows;
  flows.reserve(sums.size());
  for (const auto& [key, sum] : sums) {
    ReferenceFlow flow{key, sum.packets, sum.estimated, sum.left_only};
    if (sum.estimated > 0) {
      const auto n = static_cast<Wide>(sum.estimated);
      const auto count = static_cast<double>(sum.estimated);
      constexpr double unit = 1.0 / (1 << RP_FRACTION_BITS);
      flow.mean_ns = static_cast<double>(base_ns) + static_cast<double>(sum.delays) / count * unit;
      // n sum d^2 - (sum d)^2 would cancel in floating point; around the mean's whole part it does
      // not, and nothing overflows: |d| stays below 2^51.
      const Wide middle = sum.delays / n;
      const Wide around = sum.squares - 2 * middle * sum.delays + n * middle * middle;
      const double rest = static_cast<double>(sum.delays - middle * n) / count;
      flow.deviation_ns =
          std::sqrt(std::max(0.0, static_cast<double>(around) / count - rest * rest)) * unit;
    }
    flows.push_back(flow);
  }
  return flows;
}

}  // namespace sojourn
