#include "dataplane/marking/flow_places.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "dataplane/kernel/marking/flow_table.h"

namespace sojourn {
namespace {

constexpr std::size_t flows_a_displacement = 4;
constexpr std::uint32_t most_displacements = 1 << 16;

bool is_free(std::span<const std::uint32_t> where, std::span<const TaggedFlow> places) {
  for (std::size_t i = 0; i < where.size(); ++i)
    if (places[where[i]].tag != 0 || std::ranges::count(where.first(i), where[i]) > 0) return false;
  return true;
}

/// The displacement, or none if all of them lead to places that are taken.
std::optional<std::uint32_t> place(std::span<const TaggedFlow> group,
                                   std::vector<TaggedFlow>& places) {
  const auto count = static_cast<std::uint32_t>(places.size());
  std::vector<std::uint32_t> where(group.size());
  for (std::uint32_t displacement = 0; displacement < most_displacements; ++displacement) {
    std::ranges::transform(group, where.begin(), [&](const TaggedFlow& flow) {
      return mk_place_of(flow.tag, displacement, count);
    });
    if (!is_free(where, places)) continue;
    for (std::size_t i = 0; i < group.size(); ++i) places[where[i]] = group[i];
    return displacement;
  }
  return {};
}

}  // namespace

std::optional<FlowPlaces> FlowPlaces::with(std::span<const TaggedFlow> flows, std::size_t room) {
  FlowPlaces made;
  made.places.resize(room);
  made.displacements.resize(std::bit_ceil(flows.size() / flows_a_displacement / 4 + 1));
  std::vector<std::vector<TaggedFlow>> groups(made.displacement_count());
  for (const TaggedFlow& flow : flows)
    groups[static_cast<std::uint32_t>(flow.tag) & (made.displacement_count() - 1)].push_back(flow);
  std::vector<std::uint32_t> order(groups.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t i) { return groups[i].size(); });
  for (const std::uint32_t number : order) {
    const auto displacement = place(groups[number], made.places);
    if (!displacement) return {};
    made.displacements[number / 4] |= std::uint64_t{*displacement} << number % 4 * 16;
  }
  return made;
}

FlowPlaces FlowPlaces::of(std::span<const TaggedFlow> flows) {
  std::vector<TaggedFlow> different;
  std::unordered_set<std::uint64_t> seen;
  for (const TaggedFlow& flow : flows)
    if (seen.insert(flow.tag).second) different.push_back(flow);
  for (std::size_t room = different.size() + different.size() / 4 + 1;; room += room / 4 + 1)
    if (auto made = with(different, room)) return std::move(*made);
}

}  // namespace sojourn
