#include "roundtrip/loss/loss_tracker.h"

#include <algorithm>

#include "core/hash.h"
#include "roundtrip/rules/server_guess.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Duration silent = 60s;
/// A hole that is filled sooner than a round trip was caused by reordering, not loss: the sender
/// could not have known of a loss yet.  If the handshake was not seen, tshark's value is used.
constexpr Duration usual_reordering = 3ms;

bool has(const Summary& packet, unsigned flag) { return (packet.tcp_flags & flag) != 0; }
unsigned side_of(const Summary& packet) { return packet.source_is_low ? 0 : 1; }

/// SYN and FIN take a sequence number each (RFC 9293 section 3.4).
std::uint32_t length_of(const Summary& packet) {
  return packet.payload + (has(packet, tcp_syn) ? 1u : 0u) + (has(packet, tcp_fin) ? 1u : 0u);
}

/// The flow hash places connections in tables, so the decision to follow them must be independent
/// of it.
std::uint64_t chance_of(std::uint64_t flow) {
  constexpr HashKey key = HashKey::from_seed(0x6c6f7373);
  return keyed_hash(key, flow, 0);
}

}  // namespace

void LossTracker::make_room(Timestamp now) {
  std::erase_if(flows_, [&](const auto& entry) {
    return difference(now, entry.second.last_seen) > (entry.second.ended ? Duration{1s} : silent);
  });
  while (flows_.size() > most_flows_ / 4 * 3) {
    threshold_ /= 2;
    followed_share_ /= 2;
    std::erase_if(flows_, [&](const auto& entry) { return !is_followed(chance_of(entry.first)); });
  }
}

LossTracker::Flow* LossTracker::flow_of(const Summary& packet) {
  if (threshold_ != ~std::uint64_t{0} && !is_followed(chance_of(packet.flow))) return nullptr;
  if (const auto found = flows_.find(packet.flow); found != flows_.end()) return &found->second;
  if (flows_.size() >= most_flows_) {
    make_room(packet.time);
    if (!is_followed(chance_of(packet.flow))) return nullptr;
  }
  return &flows_[packet.flow];
}

/// Determines the server, and whether a new connection begins.
void LossTracker::meet(const Summary& packet, Flow& flow) {
  const unsigned sender = side_of(packet);
  const bool syn = has(packet, tcp_syn), ack = has(packet, tcp_ack);
  if (syn && !ack) {
    const Side& before = flow.sides[sender];
    // A SYN other than the one before, and not slightly behind it, opens another connection.
    if (before.has_next && before.next - (packet.sequence + 1) >= 1u << 16) flow = Flow{};
    flow.server_is_high = sender == 0;
    flow.ends_known = flow.syn_seen = true;
    if (!flow.sides[sender].has_next) flow.sides[sender].syn_time = packet.time;
  } else if (syn) {
    flow.server_is_high = sender == 1;
    flow.ends_known = true;
    flow.sides[sender].syn_time = packet.time;
  } else if (!flow.ends_known) {
    flow.server_is_high = source_is_server(packet) == (sender == 1);
    flow.ends_known = true;
  }
  if (!syn && ack && flow.round_trip == Duration{0} && flow.syn_seen &&
      sender == (flow.server_is_high ? 0u : 1u) && flow.sides[1 - sender].syn_time != Timestamp{})
    flow.round_trip = difference(packet.time, flow.sides[sender].syn_time);
  flow.ended = flow.ended || has(packet, tcp_rst);
  flow.last_seen = packet.time;
}

void LossTracker::look_at_segment(const Summary& packet, Flow& flow, LossSigns& signs) {
  Side& side = flow.sides[side_of(packet)];
  const Side& other = flow.sides[1 - side_of(packet)];
  const std::uint32_t length = length_of(packet), end = packet.sequence + length;
  if (!side.has_next) {
    side.has_next = true;
    side.next = end;
    return signs.add(LossSign::segment);
  }
  const auto ahead = static_cast<std::int32_t>(packet.sequence - side.next);
  // RFC 9293 section 3.8.4: at most one byte, directly before the next sequence number, that passed
  // before.
  if (ahead == -1 && packet.payload <= 1 && !has(packet, tcp_syn | tcp_fin) &&
      !side.holes.reach(packet.sequence, end))
    return;
  signs.add(LossSign::segment);
  if (ahead > 0 && ahead < 1 << 30) side.holes.open(side.next, packet.sequence, packet.time);
  if (ahead >= 0) {
    side.next = end;
    return;
  }
  const auto filled = side.holes.fill(packet.sequence, end);
  if (filled.any) {
    const Duration known = flow.round_trip > Duration{0} ? flow.round_trip : usual_reordering;
    signs.add(difference(packet.time, filled.opened) < known ? LossSign::reordered
                                                             : LossSign::late);
  } else {
    signs.add(LossSign::retransmitted);
    if (other.has_acknowledged && !StreamHoles::before(other.acknowledged, end))
      signs.add(LossSign::spurious);
  }
  if (StreamHoles::before(side.next, end)) side.next = end;
}

/// The sequence number of a packet without data is what its sender sends next: all before it was
/// sent.
void LossTracker::look_at_number(const Summary& packet, Flow& flow) {
  Side& side = flow.sides[side_of(packet)];
  const auto ahead = static_cast<std::int32_t>(packet.sequence - side.next);
  if (side.has_next && (ahead <= 0 || ahead >= 1 << 30)) return;
  if (side.has_next) side.holes.open(side.next, packet.sequence, packet.time);
  side.has_next = true;
  side.next = packet.sequence;
}

void LossTracker::look_at_acknowledgment(const Summary& packet, Flow& flow, LossSigns& signs) {
  Side& side = flow.sides[side_of(packet)];
  const Side& other = flow.sides[1 - side_of(packet)];
  const bool plain = length_of(packet) == 0;
  // RFC 5681 section 2: nothing new, the same window, and data outstanding.
  if (plain && side.has_acknowledged && packet.acknowledgment == side.acknowledged &&
      packet.window == side.window && packet.window != 0 && other.has_next &&
      other.next != packet.acknowledgment && side.has_next && packet.sequence == side.next)
    signs.add(LossSign::duplicate_ack);
  if (!side.has_acknowledged || StreamHoles::before(side.acknowledged, packet.acknowledgment))
    side.acknowledged = packet.acknowledgment;
  side.has_acknowledged = true;
  side.window = packet.window;
}

LossSigns LossTracker::look_at(const Summary& packet) {
  LossSigns signs;
  Flow* const flow = flow_of(packet);
  if (!flow) return signs;
  meet(packet, *flow);
  signs.weight = 1 / followed_share_;
  signs.to_server = (side_of(packet) == 0) == flow->server_is_high;
  signs.add(LossSign::packet);
  if (has(packet, tcp_rst)) {
    signs.add(LossSign::reset);
    return signs;
  }
  if (length_of(packet) > 0)
    look_at_segment(packet, *flow, signs);
  else
    look_at_number(packet, *flow);
  if (has(packet, tcp_ack)) look_at_acknowledgment(packet, *flow, signs);
  if (packet.window == 0 && !has(packet, tcp_syn | tcp_fin)) signs.add(LossSign::zero_window);
  return signs;
}

}  // namespace sojourn
