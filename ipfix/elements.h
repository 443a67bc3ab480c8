#pragma once
// The information elements that points export, by number.  docs/design/ipfix.md explains each.

#include <cstdint>

namespace sojourn::ipfix {

/// Who defines an element: IANA's registry has enterprise 0.  RFC 5612 keeps 32473 for examples;
/// ours live there until a number is assigned; users with a number of their own may set it.
inline constexpr std::uint32_t iana = 0;
inline constexpr std::uint32_t default_enterprise = 32'473;

/// IANA's (https://www.iana.org/assignments/ipfix).
enum class Element : std::uint16_t {
  octet_delta_count = 1,
  packet_delta_count = 2,
  protocol_identifier = 4,
  tcp_control_bits = 6,
  source_transport_port = 7,
  source_ipv4_address = 8,
  destination_transport_port = 11,
  destination_ipv4_address = 12,
  destination_ipv4_prefix_length = 13,
  source_ipv6_address = 27,
  destination_ipv6_address = 28,
  destination_ipv6_prefix_length = 30,
  exported_flow_record_total_count = 42,
  destination_ipv4_prefix = 45,
  flow_end_reason = 136,
  observation_domain_id = 149,
  flow_start_seconds = 150,
  flow_end_seconds = 151,
  flow_start_milliseconds = 152,
  flow_end_milliseconds = 153,
  flow_start_microseconds = 154,
  flow_end_microseconds = 155,
  flow_start_nanoseconds = 156,
  flow_end_nanoseconds = 157,
  not_sent_flow_total_count = 165,
  not_sent_packet_total_count = 166,
  destination_ipv6_prefix = 169,
  observation_domain_name = 300,
  selector_id = 302,
  selector_algorithm = 304,
  sampling_probability = 311,
  selector_id_total_packets_observed = 318,
  selector_id_total_packets_selected = 319,
  observation_time_nanoseconds = 325,
  digest_hash_value = 326,
  hash_ip_payload_offset = 327,
  hash_ip_payload_size = 328,
  hash_output_range_min = 329,
  hash_output_range_max = 330,
  hash_selected_range_min = 331,
  hash_selected_range_max = 332,
  hash_digest_output = 333,
  // 334 hashInitialiserValue is never sent: it is the secret.
  path_delay_mean_delta_microseconds = 530,  // 530 to 533: RFC 9951
  path_delay_min_delta_microseconds = 531,
  path_delay_max_delta_microseconds = 532,
  path_delay_sum_delta_microseconds = 533,
};

/// Ours, below the enterprise number.
enum class OwnElement : std::uint16_t {
  moment_squares = 1,        // unsigned64: FlowRecord::moment_squares
  point_instance = 2,        // unsigned64: another one at each start of the point
  message_number = 3,        // unsigned64: counts the messages of an instance from 1 on
  secret_fingerprint = 4,    // unsigned64: equal where the secret is; tells nothing about it
  selects_flows = 5,         // boolean
  clock_synchronised = 6,    // boolean: adjtimex says so
  clock_maximum_error = 7,   // unsigned64, nanoseconds: adjtimex
  not_selected_packets = 8,  // unsigned64, as are the counters below
  cached_packets = 9,        // in flows that have no record yet
  exported_packets = 10,     // in records
  spooled_packets = 11,
  spooled_records = 12,
  kernel_dropped_packets = 13,
  slice_start = 14,           // dateTimeNanoseconds
  slice_length = 15,          // unsigned64, nanoseconds
  round_trip_kind = 16,       // unsigned8, by core/kind.h
  round_trip_leg = 17,        // unsigned8, by core/kind.h
  flow_group = 18,            // unsigned8
  delay_bin = 19,             // signed32: LogBuckets::index_of
  cell_weight = 20,           // float64
  cell_squared_weights = 21,  // float64
  flow_marks = 22,            // unsigned64
  marking_duty = 23,          // string: mark, observe, restore
  marking_method = 24,        // string
  marking_carrier = 25,       // string
  marking_interval = 26,      // signed8: 2^n seconds
  marking_since = 27,         // dateTimeNanoseconds: when it began to count, marks or references
  marking_copies = 28,        // boolean: it looks for packets that come twice
  marking_ends = 29,          // boolean: this is its last report
  mark_interval_number = 30,  // signed64: since 1970; its parity is the colour
  mark_pulses = 31,           // unsigned32
  mark_pulse_time = 32,       // dateTimeNanoseconds: the mean, if there are several
  mark_late = 33,             // unsigned64, nanoseconds
  mark_early = 34,            // unsigned64, nanoseconds
  mark_middle = 35,           // unsigned64, as are the counters below
  mark_contrary = 36,
  mark_other = 37,
  mark_marked_before = 38,
  mark_repeats = 39,          // unsigned32
  mark_doubt = 40,            // string: why the point does not trust the interval; empty if it does
  mark_flow = 41,             // string: a filter; empty: that the interval was read
  reference_measured = 42,    // unsigned64: packets whose delay is known
  reference_left_only = 43,   // unsigned64: of them, by the reference before them alone
  reference_delay_mean = 44,  // float64, nanoseconds
  reference_deviation = 45,   // float64, nanoseconds
  references_used = 46,       // unsigned64, as are the counters below
  references_lost = 47,
  references_reordered = 48,
  references_of_others = 49,
  references_off = 50,
  reference_before_first = 51,  // packets without an estimate
  reference_after_last = 52,
  reference_no_room = 53,
  reference_unread = 54,
  reference_every = 55,  // unsigned64, nanoseconds: between two reports
};

/// selectorAlgorithm, RFC 5477 section 8.2.1.
enum class SelectorAlgorithm : std::uint16_t { bob = 6, ipsx = 7 };

/// flowEndReason, RFC 5102 section 5.11.3.
enum class FlowEndReason : std::uint8_t {
  idle_timeout = 1,
  active_timeout = 2,
  end_of_flow = 3,
  forced_end = 4,
  lack_of_resources = 5
};

}  // namespace sojourn::ipfix
