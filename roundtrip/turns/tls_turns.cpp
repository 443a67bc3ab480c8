#include "roundtrip/turns/tls_turns.h"

#include <algorithm>
#include <span>

#include "roundtrip/rules/tcp_apply.h"
#include "roundtrip/turns/turn_tracker.h"
#include "wire/headers/tls.h"

namespace sojourn {
namespace {

std::uint32_t end_of_record(const Summary& packet, const TlsRecord& record) {
  return packet.sequence + static_cast<std::uint32_t>(tls_header_size) + record.length;
}

}  // namespace

bool is_client_hello(const Summary& packet) {
  const auto record = parse_tls_record(captured_payload(packet));
  return record && record->is(TlsHandshake::client_hello);
}

void mark_tls(TurnRecord& record, Unclear why) {
  if (record.state.stage == TlsStage::none || record.state.stage == TlsStage::over) return;
  if (!record.state.tls_is_unclear) record.state.tls_why = why;
  record.state.tls_is_unclear = true;
}

/// A packet with data that did not pass before.
void TurnTracker::tls(const Summary& packet, TurnRecord& record, std::uint32_t index,
                      bool in_order) {
  const unsigned sender = side_of_sender(packet);
  const bool by_client = record.state.client_is_high == (sender == 1);
  if (!in_order) mark_tls(record, Unclear::gap);
  if (record.state.stage == TlsStage::server_hello)
    follow_records(packet, record, index, in_order);
  else if (by_client)
    client_hello(packet, record);
  else if (record.state.stage == TlsStage::client_hello)
    server_hello(packet, record, index);
}

/// A ClientHello, or what follows it before the server has answered.
void TurnTracker::client_hello(const Summary& packet, TurnRecord& record) {
  const auto found = parse_tls_record(captured_payload(packet));
  const std::uint32_t end = packet.sequence + packet.payload;
  if (record.state.stage == TlsStage::none) {
    if (!found || !found->is(TlsHandshake::client_hello)) return;
    ask(tls_);
    record.state.stage = TlsStage::client_hello;
    record.state.tls_is_unclear = record.state.client_went_on = false;
    record.state.record_known = 0;
    record.hello_end = end_of_record(packet, *found);
  } else if (!is_newer(record.hello_end, packet.sequence)) {
    // Behind it: another record of the same ClientHello, or data that did not wait.
    if (!found || found->content != TlsContent::handshake)
      return mark_tls(record, Unclear::early_data);
    record.hello_end = end_of_record(packet, *found);
  }
  record.hello_at = packet.time;
  if (is_newer(end, record.hello_end)) mark_tls(record, Unclear::early_data);
}

void TurnTracker::server_hello(const Summary& packet, TurnRecord& record, std::uint32_t index) {
  // What the server said before it had heard the ClientHello does not answer it (STARTTLS).
  if (is_newer(record.hello_end, packet.acknowledgment)) return;
  const auto found = parse_tls_record(captured_payload(packet));
  const Duration delay = difference(packet.time, record.hello_at);
  if (delay > options_.expire) {
    record.state.stage = TlsStage::over;
    return;
  }
  if (!found || !found->is(TlsHandshake::server_hello)) {
    leave_out(tls_, record.state.tls_is_unclear ? record.state.tls_why : Unclear::refused);
    record.state.stage = TlsStage::over;
    return;
  }
  if (options_.keep_unclear || !record.state.tls_is_unclear ||
      record.state.tls_why == Unclear::early_data)
    add_answer(record, Kind::tls, delay, index);
  record.state.stage = TlsStage::server_hello;
  follow_records(packet, record, index, true);
}

/// From record to record, until application data is found: of the client, or of the server once the
/// client has spoken after the ServerHello.  TLS 1.3 calls what the server encrypts before that
/// application data, too (RFC 8446 section 5.2).
void TurnTracker::follow_records(const Summary& packet, TurnRecord& record, std::uint32_t index,
                                 bool in_order) {
  const unsigned sender = side_of_sender(packet);
  const bool by_client = record.state.client_is_high == (sender == 1);
  const auto captured = captured_payload(packet);
  std::uint32_t offset = in_order && record.knows_record(sender) ? record.record[sender] : 0;
  record.forget_record(sender);
  while (offset < packet.payload) {
    // Divided between segments, cut off, or not TLS: the next segment may begin with a record.
    if (offset >= captured.size()) return;
    const auto found = parse_tls_record(captured.subspan(offset));
    if (!found) return;
    if (found->content == TlsContent::application_data &&
        (by_client || record.state.client_went_on))
      return first_application_data(packet, record, index, by_client);
    if (by_client)
      record.state.client_went_on =
          !(found->is(TlsHandshake::client_hello) && found->is_one_message);
    offset += static_cast<std::uint32_t>(tls_header_size) + found->length;
  }
  record.set_record(sender, offset - packet.payload);  // at most one record
}

void TurnTracker::first_application_data(const Summary& packet, TurnRecord& record,
                                         std::uint32_t index, bool by_client) {
  record.state.stage = TlsStage::over;
  const Duration delay = difference(packet.time, record.hello_at);
  if (delay > options_.expire) return;
  if (record.state.tls_is_unclear) {
    leave_out(tls_, record.state.tls_why);
    if (!options_.keep_unclear) return;
  }
  found_.push_back({.summary = index,
                    .kind = Kind::tls,
                    .leg = Leg::sum,
                    .delay = delay,
                    .weight = static_cast<double>(weight()),
                    .by_client = by_client,
                    .client_guessed = false});
}

}  // namespace sojourn
