#include "oneway/marking/marking_shapes.h"

#include <algorithm>
#include <bit>

namespace sojourn {
namespace {

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

std::array<std::uint64_t, 4> words_of(const IpAddress& source, const IpAddress& destination,
                                      bool is_ipv6) {
  const auto from = source.bytes(), to = destination.bytes();
  if (!is_ipv6) return {word_of(from) << 32 | word_of(to)};
  return {word_of(from.first(8)), word_of(from.subspan(8)), word_of(to.first(8)),
          word_of(to.subspan(8))};
}

MarkingBits mask_of(const MarkingFilter& filter, bool is_ipv6) {
  const std::size_t from = filter.source ? filter.source->length() : 0;
  const std::size_t to = filter.destination ? filter.destination->length() : 0;
  MarkingBits mask;
  if (is_ipv6)
    mask.addresses = {leading_ones(from, 64), from > 64 ? leading_ones(from - 64, 64) : 0,
                      leading_ones(to, 64), to > 64 ? leading_ones(to - 64, 64) : 0};
  else
    mask.addresses = {leading_ones(from, 32) << 32 | leading_ones(to, 32)};
  mask.rest =
      marking_rest(filter.source_port ? 0xffff : 0, filter.destination_port ? 0xffff : 0,
                   filter.protocol ? 0xff : 0, filter.flow_id ? AltMarkOption::largest_flow_id : 0);
  return mask;
}

MarkingBits value_of(const MarkingFilter& filter, const MarkingBits& mask, bool is_ipv6) {
  const IpAddress none = is_ipv6 ? IpAddress::v6(std::array<std::byte, 16>{})
                                 : IpAddress::v4(std::array<std::byte, 4>{});
  MarkingBits value{
      words_of(filter.source ? filter.source->network() : none,
               filter.destination ? filter.destination->network() : none, is_ipv6),
      marking_rest(filter.source_port.value_or(0), filter.destination_port.value_or(0),
                   filter.protocol.value_or(0), filter.flow_id.value_or(0))};
  for (std::size_t i = 0; i < 4; ++i) value.addresses[i] &= mask.addresses[i];
  value.rest &= mask.rest;
  return value;
}

int bits_in(const MarkingBits& mask) {
  int count = std::popcount(mask.rest);
  for (const std::uint64_t word : mask.addresses) count += std::popcount(word);
  return count;
}

}  // namespace

Result<std::vector<MarkingMatch>> marking_matches(std::span<const MarkingFilter> filters,
                                                  const MarkingCarrier& carrier) {
  std::vector<MarkingMatch> matches;
  for (std::uint32_t number = 0; number < filters.size(); ++number) {
    const MarkingFilter& filter = filters[number];
    if (filter.flow_id && carrier.kind() != CarrierKind::option)
      return failure("flow '" + filter.text() +
                     "': only the carriers hop-by-hop and destination have a flow-id");
    const auto& prefix = filter.source ? filter.source : filter.destination;
    for (const bool is_ipv6 : {false, true}) {
      if (prefix && (prefix->network().version() == IpVersion::v6) != is_ipv6) continue;
      const MarkingBits mask = mask_of(filter, is_ipv6);
      matches.push_back({mask, value_of(filter, mask, is_ipv6), is_ipv6, number});
    }
  }
  return matches;
}

Result<std::vector<MarkingShape>> marking_shapes(std::span<const MarkingMatch> matches) {
  std::vector<MarkingShape> shapes;
  for (const MarkingMatch& match : matches) {
    const MarkingShape shape{match.mask, match.is_ipv6};
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
  }
  std::ranges::stable_sort(shapes, std::ranges::greater{},
                           [](const MarkingShape& shape) { return bits_in(shape.mask); });
  for (const bool is_ipv6 : {false, true})
    if (static_cast<std::size_t>(std::ranges::count(shapes, is_ipv6, &MarkingShape::is_ipv6)) >
        most_marking_shapes)
      return failure("the flows differ in more than 16 ways; write them alike");
  return shapes;
}

}  // namespace sojourn
