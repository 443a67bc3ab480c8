#include "oneway/marking/marking_flows.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "core/prefetch.h"
#include "wire/headers/endian.h"

namespace sojourn {
namespace {

// Ports, protocol and flow identifier in one word; the top four bits are the shape's number.
constexpr unsigned source_port_at = 44, destination_port_at = 28, protocol_at = 20;

constexpr std::uint64_t rest_of(std::uint64_t source_port, std::uint64_t destination_port,
                                std::uint64_t protocol, std::uint64_t flow_id) {
  return source_port << source_port_at | destination_port << destination_port_at |
         protocol << protocol_at | flow_id;
}

std::uint64_t word_of(std::span<const std::uint8_t> bytes) {
  std::uint64_t word = 0;
  for (const std::uint8_t byte : bytes) word = word << 8 | byte;
  return word;
}

constexpr std::uint64_t leading_ones(std::size_t count, std::size_t width) {
  if (count == 0) return 0;
  const std::uint64_t all = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  return count >= width ? all : all & ~((std::uint64_t{1} << (width - count)) - 1);
}

/// Addresses as words: IPv4 both in the first, IPv6 two each.
std::array<std::uint64_t, 4> words_of(const IpAddress& source, const IpAddress& destination,
                                      bool is_ipv6) {
  const auto from = source.bytes(), to = destination.bytes();
  if (!is_ipv6) return {word_of(from) << 32 | word_of(to)};
  return {word_of(from.first(8)), word_of(from.subspan(8)), word_of(to.first(8)),
          word_of(to.subspan(8))};
}

}  // namespace

MarkingFlows::Shape MarkingFlows::shape_of(const MarkingFilter& filter, bool is_ipv6) {
  const std::size_t from = filter.source ? filter.source->length() : 0;
  const std::size_t to = filter.destination ? filter.destination->length() : 0;
  Shape shape;
  shape.is_ipv6 = is_ipv6;
  if (is_ipv6)
    shape.addresses = {leading_ones(from, 64), from > 64 ? leading_ones(from - 64, 64) : 0,
                       leading_ones(to, 64), to > 64 ? leading_ones(to - 64, 64) : 0};
  else
    shape.addresses = {leading_ones(from, 32) << 32 | leading_ones(to, 32)};
  shape.rest =
      rest_of(filter.source_port ? 0xffff : 0, filter.destination_port ? 0xffff : 0,
              filter.protocol ? 0xff : 0, filter.flow_id ? AltMarkOption::largest_flow_id : 0);
  return shape;
}

inline std::uint64_t MarkingFlows::mix(const Shape& shape,
                                       const std::array<std::uint64_t, 4>& addresses,
                                       std::uint64_t rest) const {
  rest = (rest & shape.rest) | shape.number << 60;
  const std::uint64_t first = addresses[0] & shape.addresses[0];
  if (!shape.is_ipv6) return keyed_hash(key_, first, rest);
  const std::uint64_t source = keyed_hash(key_, first, addresses[1] & shape.addresses[1]);
  const std::uint64_t destination =
      keyed_hash(key_, addresses[2] & shape.addresses[2], addresses[3] & shape.addresses[3]);
  return keyed_hash(key_, source ^ rest, destination ^ 1);
}

inline std::uint64_t MarkingFlows::tag_of(const Shape& shape, const IpPacket& packet) const {
  std::uint32_t flow_id = 0;
  if (uses_flow_id_) flow_id = carrier_.flow_id({packet.ip, packet.ip_captured}).value_or(0);
  const std::uint64_t rest = rest_of(packet.source_port, packet.destination_port,
                                     static_cast<std::uint8_t>(packet.protocol), flow_id);
  std::array<std::uint64_t, 4> addresses{};
  addresses[0] = load_network<std::uint64_t>(packet.ip + (packet.is_ipv6 ? 8 : 12));
  if (packet.is_ipv6)
    for (std::size_t i = 1; i < 4; ++i)
      addresses[i] = load_network<std::uint64_t>(packet.ip + 8 + 8 * i);
  return mix(shape, addresses, rest);
}

std::uint64_t MarkingFlows::tag_of(const Shape& shape, const MarkingFilter& filter) const {
  const IpAddress none = shape.is_ipv6 ? IpAddress::v6(std::array<std::byte, 16>{})
                                       : IpAddress::v4(std::array<std::byte, 4>{});
  const std::uint64_t rest =
      rest_of(filter.source_port.value_or(0), filter.destination_port.value_or(0),
              filter.protocol.value_or(0), filter.flow_id.value_or(0));
  return mix(shape,
             words_of(filter.source ? filter.source->network() : none,
                      filter.destination ? filter.destination->network() : none, shape.is_ipv6),
             rest);
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
  struct Entry {
    const MarkingFilter* filter;
    Shape shape;
    std::uint32_t flow;
  };
  std::vector<Entry> entries;
  for (std::uint32_t number = 0; number < filters.size(); ++number) {
    const MarkingFilter& filter = filters[number];
    if (filter.flow_id && carrier.kind() != CarrierKind::option)
      return failure("flow '" + filter.text() +
                     "': only the carriers hop-by-hop and destination have a flow-id");
    flows.uses_flow_id_ |= filter.flow_id.has_value();
    const auto& prefix = filter.source ? filter.source : filter.destination;
    for (const bool is_ipv6 : {false, true})
      if (!prefix || (prefix->network().version() == IpVersion::v6) == is_ipv6)
        entries.push_back({&filter, shape_of(filter, is_ipv6), number});
  }
  for (Entry& entry : entries)
    if (std::ranges::find(flows.shapes_, entry.shape) == flows.shapes_.end())
      flows.shapes_.push_back(entry.shape);
  const auto bits = [](const Shape& shape) {
    int count = std::popcount(shape.rest);
    for (const std::uint64_t word : shape.addresses) count += std::popcount(word);
    return -count;
  };
  std::ranges::sort(flows.shapes_, {}, bits);
  std::array<std::size_t, 2> numbers{};
  for (Shape& shape : flows.shapes_) {
    shape.number = numbers[shape.is_ipv6]++;
    if (shape.number >= most_shapes)
      return failure("the flows differ in more than 16 ways; write them alike");
  }
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(entries.size() * 2, 16));
  flows.slots_ = HugeArray<Slot>{slots};
  flows.mask_ = slots - 1;
  for (const Entry& entry : entries) {
    const Shape& shape = *std::ranges::find(flows.shapes_, entry.shape);
    flows.insert(flows.tag_of(shape, *entry.filter), entry.flow);
  }
  return flows;
}

void MarkingFlows::classify(std::span<const IpPacket> batch, std::span<std::uint32_t> flows) const {
  assert(batch.size() <= max_batch && flows.size() >= batch.size());
  std::ranges::fill(flows.first(batch.size()), no_flow);
  std::array<std::uint64_t, max_batch> tags;
  // Per shape three short loops' worth of work, so that the misses of a batch overlap.
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
