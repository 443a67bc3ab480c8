#include "ipfix/reference_values.h"

#include <cmath>

#include "ipfix/mark_values.h"
#include "ipfix/ntp_time.h"
#include "ipfix/record_plan.h"

namespace sojourn::ipfix {
namespace {

/// Clocks may be years apart: what a Duration can tell, nearly.
constexpr double most_delay_ns = 9e18;

}  // namespace

void ReferenceValues::take(const Field& field, std::span<const std::byte> bytes,
                           std::uint32_t enterprise) {
  if (field.enterprise == enterprise) return take_own(OwnElement{field.element}, bytes);
  if (field.enterprise == iana) take_standard(Element{field.element}, bytes);
}

void ReferenceValues::take_standard(Element element, std::span<const std::byte> bytes) {
  using enum Element;
  FlowKey& key = flow_.key;
  if (element == source_ipv4_address && bytes.size() == 4)
    key.source = IpAddress::v4(bytes.first<4>());
  if (element == destination_ipv4_address && bytes.size() == 4)
    key.destination = IpAddress::v4(bytes.first<4>());
  if (element == source_ipv6_address && bytes.size() == 16)
    key.source = IpAddress::v6(bytes.first<16>());
  if (element == destination_ipv6_address && bytes.size() == 16)
    key.destination = IpAddress::v6(bytes.first<16>());
  if (bytes.size() > 8) return;
  const std::uint64_t value = load_unsigned(bytes.data(), bytes.size());
  if (element == source_transport_port) key.source_port = static_cast<std::uint16_t>(value);
  if (element == destination_transport_port)
    key.destination_port = static_cast<std::uint16_t>(value);
  if (element == protocol_identifier) key.protocol = static_cast<std::uint8_t>(value);
  if (element == flow_start_nanoseconds) begin_ = from_ntp(value);
  if (element == flow_end_nanoseconds) end_ = from_ntp(value);
  if (element == packet_delta_count) flow_.packets = value;
}

void ReferenceValues::take_own(OwnElement element, std::span<const std::byte> bytes) {
  using enum OwnElement;
  if (bytes.size() > 8) return;
  const std::uint64_t value = load_unsigned(bytes.data(), bytes.size());
  switch (element) {
    case reference_measured:
      is_flow_ = true;
      flow_.estimated = value;
      break;
    case reference_left_only:
      flow_.left_only = value;
      break;
    case reference_delay_mean:
      flow_.mean_ns = load_real(bytes);
      break;
    case reference_deviation:
      flow_.deviation_ns = load_real(bytes);
      break;
    case references_used:
      seen_.references = value;
      break;
    case references_lost:
      seen_.lost = value;
      break;
    case references_reordered:
      seen_.reordered = value;
      break;
    case references_of_others:
      seen_.of_others = value;
      break;
    case references_off:
      seen_.off = value;
      break;
    case reference_before_first:
      seen_.before_first = value;
      break;
    case reference_after_last:
      seen_.after_last = value;
      break;
    case reference_no_room:
      seen_.no_room = value;
      break;
    case reference_unread:
      seen_.unread = value;
      break;
    default:
      break;
  }
}

bool ReferenceValues::possible() const {
  const auto length = static_cast<std::uint64_t>(to_ns(end_ - begin_));
  if (end_ < begin_ || length > most_interval_ns) return false;
  if (!is_flow_) {
    for (const std::uint64_t count :
         {seen_.references, seen_.lost, seen_.reordered, seen_.of_others, seen_.off,
          seen_.before_first, seen_.after_last, seen_.no_room, seen_.unread})
      if (count > most_packets) return false;
    return true;
  }
  return flow_.key.source.version() == flow_.key.destination.version() &&
         flow_.packets <= most_packets && flow_.estimated <= flow_.packets &&
         flow_.left_only <= flow_.estimated && std::abs(flow_.mean_ns) <= most_delay_ns &&
         flow_.deviation_ns >= 0 && flow_.deviation_ns <= most_delay_ns;
}

void ReferenceValues::tell(std::vector<ReferenceInterval>& intervals) const {
  if (is_flow_)
    interval_of(intervals, begin_, end_).flows.push_back(flow_);
  else
    append_part(intervals, {begin_, end_, {}, seen_});
}

}  // namespace sojourn::ipfix
