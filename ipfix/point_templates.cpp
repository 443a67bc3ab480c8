#include "ipfix/point_templates.h"

#include <cassert>
#include <utility>

namespace sojourn::ipfix {
namespace {

/// Template in the making: `e` for IANA's elements, `own` for ours.
class Maker {
 public:
  Maker(std::uint32_t enterprise, TemplateId id, std::uint16_t scopes)
      : enterprise_(enterprise), made_{id, scopes, {}} {}

  Maker& e(Element element, std::uint16_t length) {
    made_.fields.push_back({static_cast<std::uint16_t>(element), length, iana});
    return *this;
  }
  Maker& own(OwnElement element, std::uint16_t length) {
    made_.fields.push_back({static_cast<std::uint16_t>(element), length, enterprise_});
    return *this;
  }
  /// Of both ends, then ports and protocol.
  Maker& key(bool v6) {
    using enum Element;
    if (v6)
      e(source_ipv6_address, 16).e(destination_ipv6_address, 16);
    else
      e(source_ipv4_address, 4).e(destination_ipv4_address, 4);
    return e(source_transport_port, 2).e(destination_transport_port, 2).e(protocol_identifier, 1);
  }
  Template take() { return std::move(made_); }

 private:
  std::uint32_t enterprise_;
  Template made_;
};

/// The key first, then what NetFlow's record has, then the labels of the first and of the last
/// packet: an element that comes twice is meant in this order (RFC 7011 section 8).
Template flow(std::uint32_t enterprise, bool v6) {
  using enum Element;
  return Maker{enterprise, v6 ? flow_v6_template : flow_v4_template, 0}
      .key(v6)
      .e(flow_end_reason, 1)
      .e(tcp_control_bits, 2)
      .e(packet_delta_count, 8)
      .e(octet_delta_count, 8)
      .e(flow_start_nanoseconds, 8)
      .e(flow_end_nanoseconds, 8)
      .e(flow_start_milliseconds, 8)
      .e(flow_end_milliseconds, 8)
      .e(digest_hash_value, 4)
      .e(digest_hash_value, 4)
      .own(OwnElement::moment_squares, 8)
      .take();
}

Template cell(std::uint32_t enterprise, bool v6) {
  using enum Element;
  using enum OwnElement;
  Maker maker{enterprise, v6 ? cell_v6_template : cell_v4_template, 0};
  if (v6)
    maker.e(destination_ipv6_prefix, 16).e(destination_ipv6_prefix_length, 1);
  else
    maker.e(destination_ipv4_prefix, 4).e(destination_ipv4_prefix_length, 1);
  return maker.own(round_trip_kind, 1)
      .own(round_trip_leg, 1)
      .own(flow_group, 1)
      .own(delay_bin, 4)
      .own(slice_start, 8)
      .own(slice_length, 8)
      .own(cell_weight, 8)
      .own(cell_squared_weights, 8)
      .own(flow_marks, 8)
      .take();
}

Template report(std::uint32_t enterprise) {
  return Maker{enterprise, report_template, 1}
      .e(Element::observation_domain_id, 4)
      .own(OwnElement::point_instance, 8)
      .own(OwnElement::message_number, 8)
      .e(Element::observation_time_nanoseconds, 8)
      .e(Element::observation_domain_name, variable_length)
      .take();
}

/// RFC 5477 section 8.2.5.5, but for hashInitialiserValue: that is the secret.
Template selection(std::uint32_t enterprise) {
  using enum Element;
  return Maker{enterprise, selection_template, 1}
      .e(selector_id, 8)
      .e(selector_algorithm, 2)
      .e(hash_ip_payload_offset, 8)
      .e(hash_ip_payload_size, 8)
      .e(hash_output_range_min, 8)
      .e(hash_output_range_max, 8)
      .e(hash_selected_range_min, 8)
      .e(hash_selected_range_max, 8)
      .e(hash_digest_output, 1)
      .e(sampling_probability, 8)
      .own(OwnElement::selects_flows, 1)
      .own(OwnElement::secret_fingerprint, 8)
      .take();
}

Template clock(std::uint32_t enterprise) {
  return Maker{enterprise, clock_template, 1}
      .e(Element::observation_domain_id, 4)
      .e(Element::observation_time_nanoseconds, 8)
      .own(OwnElement::clock_synchronised, 1)
      .own(OwnElement::clock_maximum_error, 8)
      .take();
}

Template counters(std::uint32_t enterprise) {
  using enum Element;
  using enum OwnElement;
  return Maker{enterprise, counters_template, 1}
      .e(observation_domain_id, 4)
      .e(selector_id_total_packets_observed, 8)
      .own(not_selected_packets, 8)
      .e(selector_id_total_packets_selected, 8)
      .own(cached_packets, 8)
      .own(exported_packets, 8)
      .own(spooled_packets, 8)
      .e(not_sent_packet_total_count, 8)
      .e(exported_flow_record_total_count, 8)
      .own(spooled_records, 8)
      .e(not_sent_flow_total_count, 8)
      .own(kernel_dropped_packets, 8)
      .take();
}

Template mark(std::uint32_t enterprise) {
  using enum Element;
  using enum OwnElement;
  return Maker{enterprise, mark_template, 0}
      .e(flow_start_nanoseconds, 8)
      .e(observation_time_nanoseconds, 8)
      .own(mark_interval_number, 8)
      .e(packet_delta_count, 8)
      .own(mark_pulses, 4)
      .own(mark_pulse_time, 8)
      .own(mark_late, 8)
      .own(mark_early, 8)
      .own(mark_middle, 8)
      .own(mark_contrary, 8)
      .own(mark_other, 8)
      .own(mark_marked_before, 8)
      .own(mark_repeats, 4)
      .own(mark_doubt, variable_length)
      .own(mark_flow, variable_length)
      .take();
}

Template marking_run(std::uint32_t enterprise) {
  using enum OwnElement;
  return Maker{enterprise, marking_run_template, 1}
      .e(Element::observation_domain_id, 4)
      .own(marking_since, 8)
      .own(clock_synchronised, 1)
      .own(clock_maximum_error, 8)
      .own(marking_interval, 1)
      .own(marking_copies, 1)
      .own(marking_ends, 1)
      .own(marking_duty, variable_length)
      .own(marking_method, variable_length)
      .own(marking_carrier, variable_length)
      .take();
}

Template reference(std::uint32_t enterprise, bool v6) {
  using enum Element;
  using enum OwnElement;
  return Maker{enterprise, v6 ? reference_v6_template : reference_v4_template, 0}
      .key(v6)
      .e(flow_start_nanoseconds, 8)
      .e(flow_end_nanoseconds, 8)
      .e(packet_delta_count, 8)
      .own(reference_measured, 8)
      .own(reference_left_only, 8)
      .own(reference_delay_mean, 8)
      .own(reference_deviation, 8)
      .take();
}

Template reference_interval(std::uint32_t enterprise) {
  using enum Element;
  using enum OwnElement;
  Maker maker{enterprise, reference_interval_template, 0};
  maker.e(flow_start_nanoseconds, 8).e(flow_end_nanoseconds, 8);
  for (const OwnElement counter : {references_used, references_lost, references_reordered,
                                   references_of_others, references_off, reference_before_first,
                                   reference_after_last, reference_no_room, reference_unread})
    maker.own(counter, 8);
  return maker.take();
}

Template reference_run(std::uint32_t enterprise) {
  using enum OwnElement;
  return Maker{enterprise, reference_run_template, 1}
      .e(Element::observation_domain_id, 4)
      .own(marking_since, 8)
      .own(clock_synchronised, 1)
      .own(clock_maximum_error, 8)
      .own(reference_every, 8)
      .own(marking_ends, 1)
      .take();
}

}  // namespace

std::vector<Template> point_templates(std::uint32_t enterprise) {
  std::vector<Template> all{flow(enterprise, false),
                            flow(enterprise, true),
                            cell(enterprise, false),
                            cell(enterprise, true),
                            report(enterprise),
                            selection(enterprise),
                            clock(enterprise),
                            counters(enterprise),
                            mark(enterprise),
                            marking_run(enterprise),
                            reference(enterprise, false),
                            reference(enterprise, true),
                            reference_interval(enterprise),
                            reference_run(enterprise)};
  assert(least_record_bytes(all[0].fields) == flow_v4_bytes);
  assert(least_record_bytes(all[1].fields) == flow_v6_bytes);
  assert(least_record_bytes(all[2].fields) == cell_v4_bytes);
  assert(least_record_bytes(all[3].fields) == cell_v6_bytes);
  assert(least_record_bytes(all[5].fields) == selection_bytes);
  assert(least_record_bytes(all[6].fields) == clock_bytes);
  assert(least_record_bytes(all[7].fields) == counters_bytes);
  assert(least_record_bytes(all[8].fields) == mark_bytes);
  assert(least_record_bytes(all[9].fields) == marking_run_bytes);
  assert(least_record_bytes(all[10].fields) == reference_v4_bytes);
  assert(least_record_bytes(all[11].fields) == reference_v6_bytes);
  assert(least_record_bytes(all[12].fields) == reference_interval_bytes);
  assert(least_record_bytes(all[13].fields) == reference_run_bytes);
  return all;
}

}  // namespace sojourn::ipfix
