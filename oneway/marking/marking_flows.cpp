#include "oneway/marking/marking_flows.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "core/prefetch.h"
#include "wire/headers/endian.h"

namespace sojourn {

inline std::uint64_t MarkingFlows::mix(const Shape& shape,
                                       const std::array<std::uint64_t, 4>& addresses,
                                       std::uint64_t rest) const {
  rest = (rest & shape.mask.rest) | shape.number << 60;
  const std::uint64_t first = addresses[0] & shape.mask.addresses[0];
  if (!shape.is_ipv6) return keyed_hash(key_, first, rest);
  const std::uint64_t source = keyed_hash(key_, first, addresses[1] & shape.mask.addresses[1]);
  const std::uint64_t destination = keyed_hash(key_, addresses[2] & shape.mask.addresses[2],
                                               addresses[3] & shape.mask.addresses[3]);
  return keyed_hash(key_, source ^ rest, destination ^ 1);
}

inline std::uint64_t MarkingFlows::tag_of(const Shape& shape, const IpPacket& packet) const {
  std::uint32_t flow_id = 0;
  if (uses_flow_id_) flow_id = carrier_.flow_id({packet.ip, packet.ip_captured}).value_or(0);
  const std::uint64_t rest = marking_rest(packet.source_port, packet.destination_port,
                                          static_cast<std::uint8_t>(packet.protocol), flow_id);
  std::array<std::uint64_t, 4> addresses{};
  addresses[0] = load_network<std::uint64_t>(packet.ip + (packet.is_ipv6 ? 8 : 12));
  if (packet.is_ipv6)
    for (std::size_t i = 1; i < 4; ++i)
      addresses[i] = load_network<std::uint64_t>(packet.ip + 8 + 8 * i);
  return mix(shape, addresses, rest);
}

inline std::uint32_t MarkingFlows::find(std::uint64_t tag) const {
  for (std::size_t at = tag & mask_;; at = (at + 1) & mask_) {
    const Slot& slot = slots_[at];
    if (slot.flow_plus_one == 0 || slot.tag == tag) return slot.flow_plus_one - 1;  // free: no_flow
  }
}

void MarkingFlows::insert(std::uint64_t tag, std::uint32_t flow) {
  std::size_t at = tag & mask_;
  while (slots_[at].flow_plus_one != 0) {
    if (slots_[at].tag == tag) return;  // the earlier filter stays
    at = (at + 1) & mask_;
  }
  slots_[at] = {tag, flow + 1, 0};
}

Result<MarkingFlows> MarkingFlows::make(std::span<const MarkingFilter> filters,
                                        const MarkingCarrier& carrier, std::uint64_t seed) {
  MarkingFlows flows{carrier, seed};
  flows.flows_ = filters.size();
  const auto matches = marking_matches(filters, carrier);
  if (!matches) return std::unexpected(matches.error());
  const auto shapes = marking_shapes(*matches);
  if (!shapes) return std::unexpected(shapes.error());
  flows.uses_flow_id_ =
      std::ranges::any_of(filters, [](const MarkingFilter& f) { return f.flow_id.has_value(); });
  std::array<std::uint64_t, 2> numbers{};
  for (const MarkingShape& shape : *shapes)
    flows.shapes_.push_back({shape, numbers[shape.is_ipv6]++});
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(matches->size() * 2, 16));
  flows.slots_ = HugeArray<Slot>{slots};
  flows.mask_ = slots - 1;
  for (const MarkingMatch& match : *matches) {
    const auto shape = std::ranges::find_if(flows.shapes_, [&](const Shape& known) {
      return known == MarkingShape{match.mask, match.is_ipv6};
    });
    flows.insert(flows.mix(*shape, match.value.addresses, match.value.rest), match.flow);
  }
  return flows;
}

void MarkingFlows::classify(std::span<const IpPacket> batch, std::span<std::uint32_t> flows) const {
  assert(batch.size() <= max_batch && flows.size() >= batch.size());
  std::ranges::fill(flows.first(batch.size()), no_flow);
  std::array<std::uint64_t, max_batch> tags;
  // Per shape three short loops, so that the cache misses of a batch overlap.
  for (const Shape& shape : shapes_) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (flows[i] != no_flow || batch[i].is_ipv6 != shape.is_ipv6) continue;
      tags[i] = tag_of(shape, batch[i]);
      prefetch_to_read(&slots_[tags[i] & mask_]);
    }
    for (std::size_t i = 0; i < batch.size(); ++i)
      if (flows[i] == no_flow && batch[i].is_ipv6 == shape.is_ipv6) flows[i] = find(tags[i]);
  }
}

}  // namespace sojourn
