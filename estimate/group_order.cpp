#include "estimate/group_order.h"

#include <algorithm>

#include "core/parse.h"

namespace sojourn {

Result<GroupOrder> parse_group_order(std::string_view text) {
  const auto found = std::ranges::find(group_order_names, text);
  if (found == group_order_names.end()) return unknown_name(text, "order", group_order_names);
  return static_cast<GroupOrder>(found - group_order_names.begin());
}

GroupRank rank_of(const Distribution& distribution, GroupOrder order) {
  if (!is_by_delay(order)) return {true, static_cast<std::int64_t>(distribution.count())};
  const double q = order == GroupOrder::median ? 0.5 : order == GroupOrder::p95 ? 0.95 : 0.99;
  return {distribution.count() >= enough_to_rank, distribution.quantile(q)->count()};
}

std::string_view words_for(GroupOrder order) {
  constexpr std::array<std::string_view, group_order_names.size()> words = {
      "most samples first", "highest median first", "highest p95 first",
      "highest p99 first",  "most changed first",   "highest share lost first"};
  return words[static_cast<std::size_t>(order)];
}

}  // namespace sojourn
