#include "ipfix/record_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <limits>
#include <type_traits>

#include "ipfix/flow_end_reason.h"
#include "ipfix/ntp_time.h"

namespace sojourn::ipfix {

// Steps write at offsets.
static_assert(std::is_standard_layout_v<FlowRecord> && std::is_trivially_copyable_v<FlowRecord>);
static_assert(std::is_standard_layout_v<RttCell> && std::is_trivially_copyable_v<RttCell>);

namespace {

/// Where a field belongs.
struct Place {
  std::uint16_t element;
  bool own;
  unsigned occurrence;  ///< the first (0) or second of this element in the template
  Conversion conversion;
  std::size_t target;
};

using enum Conversion;

constexpr Place place(Element element, Conversion conversion, std::size_t target,
                      unsigned occurrence = 0) {
  return {static_cast<std::uint16_t>(element), false, occurrence, conversion, target};
}
constexpr Place place(OwnElement element, Conversion conversion, std::size_t target) {
  return {static_cast<std::uint16_t>(element), true, 0, conversion, target};
}

constexpr std::array flow_places = {
    place(Element::source_ipv4_address, ipv4, offsetof(FlowRecord, key.source)),
    place(Element::destination_ipv4_address, ipv4, offsetof(FlowRecord, key.destination)),
    place(Element::source_ipv6_address, ipv6, offsetof(FlowRecord, key.source)),
    place(Element::destination_ipv6_address, ipv6, offsetof(FlowRecord, key.destination)),
    place(Element::source_transport_port, unsigned16, offsetof(FlowRecord, key.source_port)),
    place(Element::destination_transport_port, unsigned16,
          offsetof(FlowRecord, key.destination_port)),
    place(Element::protocol_identifier, unsigned8, offsetof(FlowRecord, key.protocol)),
    place(Element::flow_end_reason, end_reason, offsetof(FlowRecord, expiry)),
    place(Element::tcp_control_bits, unsigned8, offsetof(FlowRecord, tcp_flags)),
    place(Element::packet_delta_count, unsigned64, offsetof(FlowRecord, packets)),
    place(Element::octet_delta_count, unsigned64, offsetof(FlowRecord, bytes)),
    place(Element::flow_start_nanoseconds, ntp_time, offsetof(FlowRecord, first)),
    place(Element::flow_end_nanoseconds, ntp_time, offsetof(FlowRecord, last)),
    place(Element::flow_start_microseconds, ntp_time, offsetof(FlowRecord, first)),
    place(Element::flow_end_microseconds, ntp_time, offsetof(FlowRecord, last)),
    place(Element::flow_start_milliseconds, milliseconds, offsetof(FlowRecord, first)),
    place(Element::flow_end_milliseconds, milliseconds, offsetof(FlowRecord, last)),
    place(Element::flow_start_seconds, seconds, offsetof(FlowRecord, first)),
    place(Element::flow_end_seconds, seconds, offsetof(FlowRecord, last)),
    place(Element::digest_hash_value, unsigned32, offsetof(FlowRecord, first_label), 0),
    place(Element::digest_hash_value, unsigned32, offsetof(FlowRecord, last_label), 1),
    place(OwnElement::moment_squares, unsigned64, offsetof(FlowRecord, moment_squares)),
};

constexpr std::array cell_places = {
    place(Element::destination_ipv4_prefix, ipv4, offsetof(RttCell, prefix)),
    place(Element::destination_ipv6_prefix, ipv6, offsetof(RttCell, prefix)),
    place(Element::destination_ipv4_prefix_length, unsigned8, offsetof(RttCell, prefix_length)),
    place(Element::destination_ipv6_prefix_length, unsigned8, offsetof(RttCell, prefix_length)),
    place(OwnElement::round_trip_kind, unsigned8, offsetof(RttCell, kind)),
    place(OwnElement::round_trip_leg, unsigned8, offsetof(RttCell, leg)),
    place(OwnElement::flow_group, unsigned8, offsetof(RttCell, flow_group)),
    place(OwnElement::delay_bin, unsigned32, offsetof(RttCell, bin)),
    place(OwnElement::slice_start, ntp_time, offsetof(RttCell, slice)),
    place(OwnElement::slice_length, unsigned64, offsetof(RttCell, length)),
    place(OwnElement::cell_weight, real, offsetof(RttCell, weight)),
    place(OwnElement::cell_squared_weights, real, offsetof(RttCell, squared_weights)),
    place(OwnElement::flow_marks, unsigned64, offsetof(RttCell, flow_marks)),
};

/// Whether a field of this length can become such a value.
bool fits(Conversion conversion, std::size_t length) {
  switch (conversion) {
    case none:
      return false;
    case ipv4:
      return length == 4;
    case ipv6:
      return length == 16;
    case real:
      return length == 4 || length == 8;
    case ntp_time:
      return length == 8;
    default:
      return length >= 1 && length <= 8;
  }
}

template <class Value>
void put(std::byte* to, Value value) {
  std::memcpy(to, &value, sizeof value);
}

Timestamp from_seconds(std::uint64_t count) {
  return from_milliseconds(count > 9'000'000'000 ? 9'000'000'000'000 : count * 1'000);
}

}  // namespace

double load_real(std::span<const std::byte> bytes) {
  if (bytes.size() == 8) return std::bit_cast<double>(load<std::uint64_t>(bytes.data()));
  if (bytes.size() == 4)
    return static_cast<double>(std::bit_cast<float>(load<std::uint32_t>(bytes.data())));
  return std::numeric_limits<double>::quiet_NaN();
}

RecordPlan::RecordPlan(Template announced, std::uint32_t enterprise)
    : template_(std::move(announced)), least_bytes_(least_record_bytes(template_.fields)) {
  fixed_ = std::ranges::none_of(template_.fields,
                                [](const Field& field) { return field.length == variable_length; });
  find_kind(enterprise);
  compile(enterprise);
}

bool RecordPlan::names(Element element) const {
  return std::ranges::any_of(template_.fields, [&](const Field& field) {
    return field.enterprise == iana && field.element == static_cast<std::uint16_t>(element);
  });
}

bool RecordPlan::names(OwnElement element, std::uint32_t enterprise) const {
  return std::ranges::any_of(template_.fields, [&](const Field& field) {
    return field.enterprise == enterprise && field.element == static_cast<std::uint16_t>(element);
  });
}

void RecordPlan::find_kind(std::uint32_t enterprise) {
  if (template_.is_options())
    kind_ = RecordKind::options;
  else if (names(OwnElement::delay_bin, enterprise))
    kind_ = RecordKind::cell;
  else if (names(OwnElement::mark_flow, enterprise))
    kind_ = RecordKind::mark;
  else if (names(OwnElement::reference_measured, enterprise) ||
           names(OwnElement::references_used, enterprise))
    kind_ = RecordKind::reference;
  else if (!names(Element::source_ipv4_address) && !names(Element::source_ipv6_address))
    kind_ = RecordKind::other;
  else
    kind_ = names(Element::digest_hash_value) ? RecordKind::flow : RecordKind::flow_without_label;
}

/// Of several times of a flow's begin or end the finest counts.
void RecordPlan::compile(std::uint32_t enterprise) {
  std::span<const Place> places;
  if (kind_ == RecordKind::flow) places = flow_places;
  if (kind_ == RecordKind::cell) places = cell_places;
  std::uint32_t offset = 0;
  unsigned labels = 0;
  for (const Field& field : template_.fields) {
    Step step{.length = field.length, .offset = offset};
    const bool is_label = field.enterprise == iana &&
                          field.element == static_cast<std::uint16_t>(Element::digest_hash_value);
    const unsigned occurrence = is_label ? labels++ : 0;
    for (const Place& known : places) {
      if (known.element != field.element || known.occurrence != occurrence ||
          field.enterprise != (known.own ? enterprise : iana) ||
          (field.length != variable_length && !fits(known.conversion, field.length)))
        continue;
      step.conversion = known.conversion;
      step.target = static_cast<std::uint16_t>(known.target);
    }
    offset += field.length;  // means nothing behind a field of variable length
    steps_.push_back(step);
  }
  const auto fineness = [](const Step& step) {
    return step.conversion == seconds ? 0 : step.conversion == milliseconds ? 1 : 2;
  };
  for (Step& step : steps_)
    if (std::ranges::any_of(steps_, [&](const Step& other) {
          return other.conversion != none && other.target == step.target &&
                 fineness(other) > fineness(step);
        }))
      step.conversion = none;
  if (fixed_) std::erase_if(steps_, [](const Step& step) { return step.conversion == none; });
}

inline void RecordPlan::convert(const Step& step, const std::byte* from, std::size_t length,
                                std::byte* to) {
  to += step.target;
  switch (step.conversion) {
    case none:
      return;
    case unsigned8:
      return put(to, static_cast<std::uint8_t>(load_unsigned(from, length)));
    case unsigned16:
      return put(to, static_cast<std::uint16_t>(load_unsigned(from, length)));
    case unsigned32:
      return put(to, static_cast<std::uint32_t>(load_unsigned(from, length)));
    case unsigned64:
      return put(to, load_unsigned(from, length));
    case real:
      return put(to, load_real({from, length}));
    case ipv4:
      return put(to, IpAddress::v4(std::span<const std::byte, 4>{from, 4}));
    case ipv6:
      return put(to, IpAddress::v6(std::span<const std::byte, 16>{from, 16}));
    case ntp_time:
      return put(to, from_ntp(load_unsigned(from, length)));
    case milliseconds:
      return put(to, from_milliseconds(load_unsigned(from, length)));
    case seconds:
      return put(to, from_seconds(load_unsigned(from, length)));
    case end_reason:
      return put(to, expiry_of(load_unsigned(from, length)));
  }
}

std::optional<std::span<const std::byte>> RecordPlan::take_field(std::uint16_t length,
                                                                 std::span<const std::byte>& rest) {
  std::size_t bytes = length;
  if (length == variable_length) {  // RFC 7011 section 7
    if (rest.empty()) return std::nullopt;
    bytes = std::to_integer<std::size_t>(rest[0]);
    rest = rest.subspan(1);
    if (bytes == 255) {
      if (rest.size() < 2) return std::nullopt;
      bytes = load<std::uint16_t>(rest.data());
      rest = rest.subspan(2);
    }
  }
  if (rest.size() < bytes) return std::nullopt;
  const auto field = rest.first(bytes);
  rest = rest.subspan(bytes);
  return field;
}

template <class Record>
std::optional<std::size_t> RecordPlan::read(std::span<const std::byte> set,
                                            std::vector<Record>& records) const {
  const std::size_t before = records.size();
  if (fixed_) {
    const std::size_t count = set.size() / least_bytes_;
    records.resize(before + count);
    const std::byte* from = set.data();
    for (std::size_t i = 0; i < count; ++i, from += least_bytes_) {
      auto* const to = reinterpret_cast<std::byte*>(&records[before + i]);
      for (const Step& step : steps_) convert(step, from + step.offset, step.length, to);
    }
    return count;
  }
  while (set.size() >= least_bytes_) {
    Record record;
    for (const Step& step : steps_) {
      const auto field = take_field(step.length, set);
      if (!field) return std::nullopt;
      if (fits(step.conversion, field->size()))
        convert(step, field->data(), field->size(), reinterpret_cast<std::byte*>(&record));
    }
    records.push_back(record);
  }
  return records.size() - before;
}

std::optional<std::size_t> RecordPlan::read_flows(std::span<const std::byte> set,
                                                  std::vector<FlowRecord>& records) const {
  assert(kind_ == RecordKind::flow);
  return read(set, records);
}

std::optional<std::size_t> RecordPlan::read_cells(std::span<const std::byte> set,
                                                  std::vector<RttCell>& cells) const {
  assert(kind_ == RecordKind::cell);
  return read(set, cells);
}

std::optional<std::size_t> RecordPlan::count(std::span<const std::byte> set) const {
  if (fixed_) return set.size() / least_bytes_;
  std::size_t records = 0;
  while (set.size() >= least_bytes_) {
    if (!visit_record(set, [](const Field&, std::span<const std::byte>) {})) return std::nullopt;
    ++records;
  }
  return records;
}

}  // namespace sojourn::ipfix
