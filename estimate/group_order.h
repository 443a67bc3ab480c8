#pragma once
// The order in which groups are shown: --sort.

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

#include "core/result.h"
#include "estimate/distribution/distribution.h"

namespace sojourn {

enum class GroupOrder : std::uint8_t { samples, median, p95, p99, change, lost };
inline constexpr std::array<std::string_view, 6> group_order_names = {"samples", "median", "p95",
                                                                      "p99",     "change", "lost"};

Result<GroupOrder> parse_group_order(std::string_view text);

/// When sorted by delay, groups with fewer samples than this come last: otherwise a single packet
/// that took a second would head every list.
inline constexpr std::uint64_t enough_to_rank = 10;

/// Greater values are shown first.
struct GroupRank {
  bool enough = true;
  std::int64_t value = 0;

  friend auto operator<=>(const GroupRank&, const GroupRank&) = default;
};
/// Orders by change and by loss need more than the delays: here the number of samples decides.
GroupRank rank_of(const Distribution& distribution, GroupOrder order);

/// Whether the groups' delays decide.
constexpr bool is_by_delay(GroupOrder order) {
  return order == GroupOrder::median || order == GroupOrder::p95 || order == GroupOrder::p99;
}

/// "most samples first", for the head of the list.
std::string_view words_for(GroupOrder order);

}  // namespace sojourn
