#pragma once
// A TCP packet of one connection as the parser would deliver it, for tests of code that follows
// connections.

#include <cstdint>

#include "core/time.h"
#include "wire/summary.h"

namespace sojourn::test {

/// `tcp` has its time in ms, from_client, sequence, acknowledgment, payload and flags; the client
/// is the lower end.
template <class Tcp>
Summary tcp_summary(const Tcp& tcp, std::uint64_t flow, std::uint16_t server_port) {
  constexpr std::uint16_t client_port = 40'000;
  Summary packet;
  packet.time = timestamp_from_ns(1'700'000'000'000'000'000 + std::int64_t(tcp.ms * 1e6));
  packet.flow = flow;
  packet.content = Content::tcp;
  packet.source_is_low = tcp.from_client;
  packet.source_port = tcp.from_client ? client_port : server_port;
  packet.destination_port = tcp.from_client ? server_port : client_port;
  packet.sequence = tcp.sequence;
  packet.acknowledgment = tcp.acknowledgment;
  packet.payload = tcp.payload;
  packet.tcp_flags = static_cast<std::uint8_t>(tcp.flags);
  return packet;
}

}  // namespace sojourn::test
