#include "ipfix/option_values.h"

#include <cmath>
#include <limits>

#include "ipfix/mark_values.h"
#include "ipfix/ntp_time.h"
#include "ipfix/point_name.h"
#include "ipfix/record_plan.h"
#include "ipfix/reference_values.h"

namespace sojourn::ipfix {
namespace {

constexpr std::uint64_t most_duration = std::numeric_limits<std::int64_t>::max();

/// RFC 7011 section 6.1.5: 1 is true, 2 is false.
bool load_boolean(std::span<const std::byte> bytes) {
  return bytes.size() == 1 && bytes[0] == std::byte{1};
}

}  // namespace

void OptionValues::take(const Field& field, std::span<const std::byte> bytes,
                        std::uint32_t enterprise) {
  if (field.enterprise == iana)
    take_standard(static_cast<Element>(field.element), bytes);
  else if (field.enterprise == enterprise)
    take_own(static_cast<OwnElement>(field.element), bytes);
}

void OptionValues::take_standard(Element element, std::span<const std::byte> bytes) {
  using enum Element;
  if (element == observation_domain_name) {
    point_.name.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return;
  }
  if (bytes.size() > 8) return;
  const std::uint64_t value = load_unsigned(bytes.data(), bytes.size());
  switch (element) {
    case observation_time_nanoseconds:
      time_ = from_ntp(value);
      break;
    case selector_algorithm:
      algorithm_ = value;
      break;
    case hash_ip_payload_offset:
      payload_offset_ = value;
      break;
    case hash_ip_payload_size:
      payload_bytes_ = value;
      break;
    case sampling_probability:
      selection_.sampling = load_real(bytes);
      break;
    case selector_id_total_packets_observed:
      counters_.packets_seen = value;
      break;
    case selector_id_total_packets_selected:
      counters_.packets_selected = value;
      break;
    case not_sent_packet_total_count:
      counters_.packets_discarded = value;
      break;
    case exported_flow_record_total_count:
      counters_.records_exported = value;
      break;
    case not_sent_flow_total_count:
      counters_.records_discarded = value;
      break;
    default:
      break;
  }
}

void OptionValues::take_own(OwnElement element, std::span<const std::byte> bytes) {
  using enum OwnElement;
  has_marking_ = has_marking_ || element == marking_duty;
  switch (element) {
    case marking_duty:
      return void(marking_.duty = text_of(bytes));
    case marking_method:
      return void(marking_.method = text_of(bytes));
    case marking_carrier:
      return void(marking_.carrier = text_of(bytes));
    default:
      break;
  }
  if (bytes.size() > 8) return;
  const std::uint64_t value = load_unsigned(bytes.data(), bytes.size());
  switch (element) {
    case point_instance:
      point_.instance = value;
      has_instance_ = true;
      break;
    case message_number:
      number_ = value;
      break;
    case secret_fingerprint:
      selection_.secret_fingerprint = value;
      has_fingerprint_ = true;
      break;
    case selects_flows:
      selection_.sample_flows = load_boolean(bytes);
      break;
    case clock_synchronised:
      clock_.synchronised = load_boolean(bytes);
      has_clock_ = true;
      break;
    case clock_maximum_error:
      maximum_error_ns_ = value;
      break;
    case not_selected_packets:
      counters_.packets_not_selected = value;
      has_counters_ = true;
      break;
    case cached_packets:
      counters_.packets_in_cache = value;
      break;
    case exported_packets:
      counters_.packets_exported = value;
      break;
    case spooled_packets:
      counters_.packets_spooled = value;
      break;
    case spooled_records:
      counters_.records_spooled = value;
      break;
    case kernel_dropped_packets:
      counters_.packets_dropped = value;
      break;
    case marking_interval:
      marking_.exponent = static_cast<std::int8_t>(value);
      break;
    case marking_since:
      marking_.since = from_ntp(value);
      break;
    case reference_every:
      reference_every_ns_ = value;
      has_references_ = true;
      break;
    case marking_copies:
      marking_.copies = load_boolean(bytes);
      break;
    case marking_ends:
      marking_.ended = load_boolean(bytes);
      break;
    default:
      break;
  }
}

bool OptionValues::possible() const {
  if (has_instance_ && !is_point_name(point_.name)) return false;
  if (has_fingerprint_ &&
      (!std::isfinite(selection_.sampling) || selection_.sampling <= 0 || selection_.sampling > 1 ||
       (algorithm_ != static_cast<std::uint64_t>(SelectorAlgorithm::bob) &&
        algorithm_ != static_cast<std::uint64_t>(SelectorAlgorithm::ipsx)) ||
       payload_offset_ > 65'535 || payload_bytes_ > 65'535))
    return false;
  if (has_marking_ && !is_possible(marking_)) return false;
  if (has_references_ && (reference_every_ns_ == 0 || reference_every_ns_ > most_interval_ns))
    return false;
  return maximum_error_ns_ <= most_duration;
}

bool OptionValues::tell(PointReport& report) const {
  if (has_instance_) {
    report.point = point_;
    report.number = number_;
    report.exported = time_;
  }
  if (has_fingerprint_) {
    report.selection = selection_;
    report.selection->hash =
        algorithm_ == static_cast<std::uint64_t>(SelectorAlgorithm::ipsx) ? "ipsx" : "bob";
    report.selection->payload_offset = static_cast<std::uint32_t>(payload_offset_);
    report.selection->payload_bytes = static_cast<std::uint32_t>(payload_bytes_);
  }
  if (has_clock_) {
    report.clock = clock_;
    report.clock->maximum_error = Duration{static_cast<std::int64_t>(maximum_error_ns_)};
  }
  if (has_counters_) report.counters = counters_;
  if (has_marking_) {
    report.marking = marking_;
    if (clock_.synchronised) report.marking->clock_error = report.clock->maximum_error;
  }
  if (has_references_) {
    report.referencing =
        ReferenceRun{.since = marking_.since,
                     .every = Duration{static_cast<std::int64_t>(reference_every_ns_)},
                     .ended = marking_.ended};
    if (clock_.synchronised) report.referencing->clock_error = report.clock->maximum_error;
  }
  return has_instance_;
}

}  // namespace sojourn::ipfix
