// What a template says is a contract with every other collector: the numbers of IANA's registry,
// and those of ours that docs/design/ipfix.md names.

#include "ipfix/elements.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "ipfix/flow_end_reason.h"
#include "ipfix/point_templates.h"

namespace sojourn::ipfix {
namespace {

TEST(Elements, AreThoseOfTheRegistry) {
  using enum Element;
  constexpr std::pair<Element, int> registry[] = {
      {octet_delta_count, 1},                     // octetDeltaCount
      {packet_delta_count, 2},                    // packetDeltaCount
      {protocol_identifier, 4},                   // protocolIdentifier
      {tcp_control_bits, 6},                      // tcpControlBits
      {source_transport_port, 7},                 // sourceTransportPort
      {source_ipv4_address, 8},                   // sourceIPv4Address
      {destination_transport_port, 11},           // destinationTransportPort
      {destination_ipv4_address, 12},             // destinationIPv4Address
      {destination_ipv4_prefix_length, 13},       // destinationIPv4PrefixLength
      {source_ipv6_address, 27},                  // sourceIPv6Address
      {destination_ipv6_address, 28},             // destinationIPv6Address
      {destination_ipv6_prefix_length, 30},       // destinationIPv6PrefixLength
      {exported_flow_record_total_count, 42},     // exportedFlowRecordTotalCount
      {destination_ipv4_prefix, 45},              // destinationIPv4Prefix
      {flow_end_reason, 136},                     // flowEndReason
      {observation_domain_id, 149},               // observationDomainId
      {flow_start_seconds, 150},                  // flowStartSeconds
      {flow_end_seconds, 151},                    // flowEndSeconds
      {flow_start_milliseconds, 152},             // flowStartMilliseconds
      {flow_end_milliseconds, 153},               // flowEndMilliseconds
      {flow_start_microseconds, 154},             // flowStartMicroseconds
      {flow_end_microseconds, 155},               // flowEndMicroseconds
      {flow_start_nanoseconds, 156},              // flowStartNanoseconds
      {flow_end_nanoseconds, 157},                // flowEndNanoseconds
      {not_sent_flow_total_count, 165},           // notSentFlowTotalCount
      {not_sent_packet_total_count, 166},         // notSentPacketTotalCount
      {destination_ipv6_prefix, 169},             // destinationIPv6Prefix
      {observation_domain_name, 300},             // observationDomainName
      {selector_id, 302},                         // selectorId
      {selector_algorithm, 304},                  // selectorAlgorithm
      {sampling_probability, 311},                // samplingProbability
      {selector_id_total_packets_observed, 318},  // selectorIdTotalPacketsObserved
      {selector_id_total_packets_selected, 319},  // selectorIdTotalPacketsSelected
      {observation_time_nanoseconds, 325},        // observationTimeNanoseconds
      {digest_hash_value, 326},                   // digestHashValue
      {hash_ip_payload_offset, 327},              // hashIPPayloadOffset
      {hash_ip_payload_size, 328},                // hashIPPayloadSize
      {hash_output_range_min, 329},               // hashOutputRangeMin
      {hash_output_range_max, 330},               // hashOutputRangeMax
      {hash_selected_range_min, 331},             // hashSelectedRangeMin
      {hash_selected_range_max, 332},             // hashSelectedRangeMax
      {hash_digest_output, 333},                  // hashDigestOutput
      {path_delay_mean_delta_microseconds, 530},  // pathDelayMeanDeltaMicroseconds
      {path_delay_min_delta_microseconds, 531},   // pathDelayMinDeltaMicroseconds
      {path_delay_max_delta_microseconds, 532},   // pathDelayMaxDeltaMicroseconds
      {path_delay_sum_delta_microseconds, 533},   // pathDelaySumDeltaMicroseconds
  };
  for (const auto& [element, number] : registry) EXPECT_EQ(static_cast<int>(element), number);
}

TEST(Elements, OfOursKeepTheirNumbers) {
  using enum OwnElement;
  constexpr std::pair<OwnElement, int> documented[] = {
      {moment_squares, 1},
      {point_instance, 2},
      {message_number, 3},
      {secret_fingerprint, 4},
      {selects_flows, 5},
      {clock_synchronised, 6},
      {clock_maximum_error, 7},
      {not_selected_packets, 8},
      {cached_packets, 9},
      {exported_packets, 10},
      {spooled_packets, 11},
      {spooled_records, 12},
      {kernel_dropped_packets, 13},
      {slice_start, 14},
      {slice_length, 15},
      {round_trip_kind, 16},
      {round_trip_leg, 17},
      {flow_group, 18},
      {delay_bin, 19},
      {cell_weight, 20},
      {cell_squared_weights, 21},
      {flow_marks, 22},
      {marking_duty, 23},
      {marking_method, 24},
      {marking_carrier, 25},
      {marking_interval, 26},
      {marking_since, 27},
      {marking_copies, 28},
      {marking_ends, 29},
      {mark_interval_number, 30},
      {mark_pulses, 31},
      {mark_pulse_time, 32},
      {mark_late, 33},
      {mark_early, 34},
      {mark_middle, 35},
      {mark_contrary, 36},
      {mark_other, 37},
      {mark_marked_before, 38},
      {mark_repeats, 39},
      {mark_doubt, 40},
      {mark_flow, 41},
      {reference_measured, 42},
      {reference_left_only, 43},
      {reference_delay_mean, 44},
      {reference_deviation, 45},
      {references_used, 46},
      {references_lost, 47},
      {references_reordered, 48},
      {references_of_others, 49},
      {references_off, 50},
      {reference_before_first, 51},
      {reference_after_last, 52},
      {reference_no_room, 53},
      {reference_unread, 54},
      {reference_every, 55},
  };
  for (const auto& [element, number] : documented) EXPECT_EQ(static_cast<int>(element), number);
  EXPECT_EQ(default_enterprise, 32'473u) << "RFC 5612";
}

TEST(Elements, SelectorsAndReasonsAreThoseOfTheirRfcs) {
  EXPECT_EQ(static_cast<int>(SelectorAlgorithm::bob), 6) << "RFC 5477 section 8.2.1";
  EXPECT_EQ(static_cast<int>(SelectorAlgorithm::ipsx), 7);
  // RFC 5102 section 5.11.3.
  constexpr std::pair<Expiry, unsigned> reasons[] = {{Expiry::inactive, 1},
                                                     {Expiry::active, 2},
                                                     {Expiry::closed, 3},
                                                     {Expiry::end_of_input, 4},
                                                     {Expiry::cache_full, 5}};
  for (const auto& [expiry, number] : reasons) {
    EXPECT_EQ(static_cast<unsigned>(reason_of(expiry)), number);
    EXPECT_EQ(expiry_of(number), expiry);
  }
  for (const unsigned strange : {0u, 6u, 255u}) EXPECT_EQ(expiry_of(strange), Expiry::end_of_input);
}

/// "256: 8/4 e1/8": number and bytes of each element, "e" before one of ours, "|" behind the scope.
std::string text_of(const Template& announced) {
  std::string text = std::to_string(announced.id) + ":";
  for (std::size_t i = 0; i < announced.fields.size(); ++i) {
    const Field& field = announced.fields[i];
    text += field.enterprise == iana ? " " : " e";
    text += std::to_string(field.element) + "/" + std::to_string(field.length);
    if (i + 1 == announced.scopes) text += " |";
  }
  return text;
}

// Writer and reader share the templates: only this test tells that a stranger would be misled.
TEST(Templates, AreThoseThatTheDesignDescribes) {
  std::string all;
  for (const Template& announced : point_templates(default_enterprise))
    all += text_of(announced) + "\n";
  EXPECT_EQ(
      all,
      "256: 8/4 12/4 7/2 11/2 4/1 136/1 6/2 2/8 1/8 156/8 157/8 152/8 153/8 326/4 326/4 e1/8\n"
      "257: 27/16 28/16 7/2 11/2 4/1 136/1 6/2 2/8 1/8 156/8 157/8 152/8 153/8 326/4 326/4 e1/8\n"
      "258: 45/4 13/1 e16/1 e17/1 e18/1 e19/4 e14/8 e15/8 e20/8 e21/8 e22/8\n"
      "259: 169/16 30/1 e16/1 e17/1 e18/1 e19/4 e14/8 e15/8 e20/8 e21/8 e22/8\n"
      "260: 149/4 | e2/8 e3/8 325/8 300/65535\n"
      "261: 302/8 | 304/2 327/8 328/8 329/8 330/8 331/8 332/8 333/1 311/8 e5/1 e4/8\n"
      "262: 149/4 | 325/8 e6/1 e7/8\n"
      "263: 149/4 | 318/8 e8/8 319/8 e9/8 e10/8 e11/8 166/8 42/8 e12/8 165/8 e13/8\n"
      "266: 156/8 325/8 e30/8 2/8 e31/4 e32/8 e33/8 e34/8 e35/8 e36/8 e37/8 e38/8 e39/4 e40/65535 "
      "e41/65535\n"
      "267: 149/4 | e27/8 e6/1 e7/8 e26/1 e28/1 e29/1 e23/65535 e24/65535 e25/65535\n"
      "268: 8/4 12/4 7/2 11/2 4/1 156/8 157/8 2/8 e42/8 e43/8 e44/8 e45/8\n"
      "269: 27/16 28/16 7/2 11/2 4/1 156/8 157/8 2/8 e42/8 e43/8 e44/8 e45/8\n"
      "270: 156/8 157/8 e46/8 e47/8 e48/8 e49/8 e50/8 e51/8 e52/8 e53/8 e54/8\n"
      "271: 149/4 | e27/8 e6/1 e7/8 e55/8 e29/1\n");
}

}  // namespace
}  // namespace sojourn::ipfix
