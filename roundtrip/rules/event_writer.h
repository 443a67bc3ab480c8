#pragma once
// How the rules write the requests and responses of a packet.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/choose.h"
#include "core/flow_tag.h"
#include "core/hash.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/pair_key.h"
#include "roundtrip/rules/sample_flow.h"
#include "wire/summary.h"

namespace sojourn {

/// 0 if the packet's sender is the lower endpoint in the order of Summary::flow, else 1.
inline unsigned side_of_sender(const Summary& packet) { return packet.source_is_low ^ 1u; }

/// For a response with these flags: if the server made the request, it covers the client's leg.
constexpr Leg leg_in(unsigned flags) {
  static_assert(index_of(Leg::client) << 1 == requester_is_server && index_of(Leg::server) == 0);
  return static_cast<Leg>(flags >> 1 & 1u);
}

/// The last words of responses, by their flags, without the kind.
inline constexpr std::array<std::uint32_t, 8> last_words_of_answers = [] {
  std::array<std::uint32_t, 8> words{};
  for (std::uint8_t flags = 0; flags < words.size(); ++flags)
    words[flags] = PairEvent::last_word(Kind{}, leg_in(flags), false, flags);
  return words;
}();

/// For events that were written without the flow of their sample.
inline void tag_events(std::span<PairEvent> events, Kind kind, const Summary& packet) {
  if (events.empty()) return;
  const FlowTag flow = FlowTag::of(flow_of(kind, packet));
  for (PairEvent& event : events) event.flow = flow;
}

/// Writes the events of one packet.  It lives on the stack and writes through a plain pointer, so
/// that all of it stays in registers; its creator ensures that there is room.
class EventWriter {
 public:
  EventWriter(const HashKey& key, const Summary& packet, std::uint32_t index, FlowTag flow,
              PairEvent* out)
      : key_(key),
        packet_(packet),
        index_(static_cast<std::uint16_t>(index)),
        flow_(flow),
        sender_(side_of_sender(packet)),
        out_(out) {}

  /// The packet is a request by its sender.
  void ask(Kind kind, std::uint64_t token, std::uint8_t flags, Leg leg = Leg::server) {
    write(kind, leg, true, flags, pair_key(key_, packet_.flow, token, kind, sender_, leg));
  }

  /// The packet answers a request of its receiver.  The leg is part of the key, as in the request.
  void answer(Kind kind, std::uint64_t token, Leg leg) {
    write(kind, leg, false, leg == Leg::client ? requester_is_server : 0,
          pair_key(key_, packet_.flow, token, kind, 1 - sender_, leg));
  }

  /// The same if the leg is not part of the key: it depends on which end is the client, which may
  /// become known only after the request.
  void answer_any_leg(Kind kind, std::uint64_t token, unsigned flags) {
    write(kind, leg_in(flags), false, flags,
          pair_key(key_, packet_.flow, token, kind, 1 - sender_));
  }

  /// A request, a response or nothing; fields of the other kind are ignored.  No branch: an
  /// unwanted event is written but not kept.
  void ask_or_answer_if(unsigned wanted, unsigned asks, Kind kind, std::uint64_t token,
                        std::uint8_t request_flags, unsigned answer_flags) {
    out_->key = pair_key(key_, packet_.flow, token, kind, sender_ ^ asks ^ 1u);
    out_->time = packet_.time;
    out_->summary = index_;
    out_->flow = flow_;
    out_->set_last(
        choose(asks, PairEvent::last_word(kind, Leg::server, true, request_flags),
               last_words_of_answers[answer_flags] | PairEvent::last_word(kind, Leg{}, false, 0)));
    out_ += wanted;
  }

  /// The packet closes a span opened by its own sender.
  void close(Kind kind, std::uint64_t token, std::uint8_t flags = 0) {
    write(kind, Leg::sum, false, sent_by_requester | flags,
          pair_key(key_, packet_.flow, token, kind, sender_, Leg::sum));
  }

  /// Any other event, with a key made elsewhere.
  void write(Kind kind, Leg leg, bool is_request, unsigned flags, std::uint64_t key) {
    *out_++ = {key,  packet_.time, index_,     flow_,
               kind, leg,          is_request, static_cast<std::uint8_t>(flags)};
  }

  const HashKey& key() const { return key_; }
  const Summary& packet() const { return packet_; }
  unsigned sender() const { return sender_; }
  PairEvent* end() const { return out_; }

 private:
  const HashKey& key_;
  const Summary& packet_;
  std::uint16_t index_;
  FlowTag flow_;
  unsigned sender_;
  PairEvent* out_;
};

}  // namespace sojourn
