#pragma once
// TCP connections as a list of packets in time order, with the number of round trips in them.

#include <cstdint>
#include <vector>

#include "core/time.h"

namespace sojourn::bench {

struct TrafficOptions {
  std::uint64_t packets = 5'000'000;
  std::uint32_t flows = 4'000;
  Duration duration = std::chrono::seconds{15};
  std::uint64_t seed = 1;
};

/// What a packet is within its connection.
enum class Step : std::uint8_t { syn, syn_ack, established, data, ack, fin, fin_ack, last_ack };

/// One packet of a connection; addresses, ports and first sequence numbers follow from `flow`.
struct PlannedPacket {
  Duration time;  ///< since the start of the capture
  std::uint32_t flow;
  std::uint32_t number;  ///< data, ack: which segment, from 0; fin and later: how many there were
  std::uint32_t ts_value;
  std::uint32_t ts_echo;
  Step step;
};

/// How many samples each kind has to find.
struct Truth {
  std::uint64_t tcp = 0;        ///< SYN, data and FIN segments: all are acknowledged one by one
  std::uint64_t handshake = 0;  ///< SYN to SYN-ACK and SYN-ACK to ACK
  std::uint64_t tcp_ts = 0;     ///< timestamps first seen on a segment that asks for an ACK
  std::uint64_t flow = 0;       ///< SYN to first FIN
};

struct Traffic {
  std::vector<PlannedPacket> packets;
  Truth truth;
};

/// The observer stands beside the sender of the data, so that a segment and its ACK are one round
/// trip apart.  Clients send in odd flows, servers in even ones.
constexpr bool client_sends(std::uint32_t flow) { return flow % 2 == 1; }

/// Flows begin in the first half and last a quarter to a half of the capture.  Segments leave at
/// random (Poisson) times, each is acknowledged one round trip later, in order.  A flow's round
/// trip is drawn from a log-normal distribution with median 20 ms and varies by some 10 % a packet.
Traffic plan_traffic(const TrafficOptions& options);

}  // namespace sojourn::bench
