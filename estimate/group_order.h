#pragma once
// In which order groups are shown: --sort.

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

#include "core/result.h"
#include "estimate/distribution/distribution.h"

namespace sojourn {

enum class GroupOrder : std::uint8_t { samples, median, p95, p99 };
inline constexpr std::array<std::string_view, 4> group_order_names = {"samples", "median", "p95",
                                                                      "p99"};

Result<GroupOrder> parse_group_order(std::string_view text);

/// A group with fewer samples than this is shown behind all others when delays give the order: the
/// one packet that took a second would head every list.
inline constexpr std::uint64_t enough_to_rank = 10;

/// The greater is shown first.
struct GroupRank {
  bool enough = true;
  std::int64_t value = 0;

  friend auto operator<=>(const GroupRank&, const GroupRank&) = default;
};
GroupRank rank_of(const Distribution& distribution, GroupOrder order);

/// "most samples first", for the head of the list.
std::string_view words_for(GroupOrder order);

}  // namespace sojourn
