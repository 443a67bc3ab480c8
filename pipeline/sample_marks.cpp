#include "pipeline/sample_marks.h"

#include <algorithm>

#include "estimate/anonymizer.h"
#include "roundtrip/pair_key.h"
#include "roundtrip/rules/event_writer.h"
#include "wire/headers/dns.h"
#include "wire/headers/dns_question.h"
#include "wire/tunnel_name.h"

namespace sojourn {
namespace {

using By = Grouping::By;

/// Over TCP a segment may hold several messages.  The event's key says which one it is about: all
/// are tried that follow one another from the segment's start, with a length before it or, if that
/// came in a segment of its own, without.
std::span<const std::byte> message_in_segment(std::span<const std::byte> payload,
                                              const auto& is_it) {
  if (is_it(payload)) return payload;
  while (payload.size() > 2) {
    const std::size_t length = load_network<std::uint16_t>(payload.data());
    payload = payload.subspan(2);
    const auto message = payload.first(std::min(length, payload.size()));
    if (is_it(message)) return message;
    payload = payload.subspan(message.size());
  }
  return {};
}

}  // namespace

SampleMarks::SampleMarks(const RttOptions& options)
    : grouping_(*options.measurement.grouping), key_(HashKey::from_seed(options.seed)) {
  if (options.anonymize && grouping_.by(By::tunnel))
    hidden_ = [anonymizer = std::make_shared<Anonymizer>(key_)](const IpAddress& address) {
      return anonymizer->apply(address);
    };
}

std::unique_ptr<SampleMarks> SampleMarks::make(const RttOptions& options) {
  const auto& grouping = options.measurement.grouping;
  if (!grouping || !grouping->needs_marks()) return nullptr;
  return std::unique_ptr<SampleMarks>{new SampleMarks{options}};
}

void SampleMarks::put_way(const Summary& packet, Sample& sample) const {
  if (grouping_.by(By::interface))
    sample.way = packet.origin;
  else if (grouping_.by(By::tunnel) && packet.origin != 0)
    sample.way = grouping_.ways().number_of(tunnel_name(packet, hidden_));
}

void SampleMarks::put(const PairEvent& event, const Summary& packet, Sample& sample) const {
  put_way(packet, sample);
  if (event.kind == Kind::dns && grouping_.by_question()) put_question(event, packet, sample);
}

void SampleMarks::put_question(const PairEvent& event, const Summary& packet,
                               Sample& sample) const {
  std::span<const std::byte> message = captured_payload(packet);
  if (packet.content == Content::tcp) {
    const unsigned sender = side_of_sender(packet);
    message = message_in_segment(message, [&](std::span<const std::byte> bytes) {
      const auto read = parse_dns_message(bytes);
      return read && event.key == pair_key(key_, packet.flow, read->token, Kind::dns,
                                           event.is_request ? sender : 1 - sender, event.leg);
    });
  }
  const auto question = read_dns_question(message);
  if (!question) return;
  if (grouping_.by(By::dns_name)) sample.dns_name = grouping_.dns_names().number_of(question->name);
  sample.dns_type = question->type;
  sample.dns_code = question->code.value_or(Sample::no_code);
}

}  // namespace sojourn
