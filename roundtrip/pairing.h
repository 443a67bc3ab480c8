#pragma once
// From summaries of packets to requests and responses: the rules of METHODS.md section 1.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/hash.h"
#include "core/kind.h"
#include "roundtrip/connection_table.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/quic_connection.h"
#include "roundtrip/tcp_connection.h"
#include "wire/summary.h"

namespace sojourn {

struct PairingOptions {
  KindSet kinds = KindSet::all();
  /// Only data segments of at least this IP length are requests of kind tcp: receivers tend to
  /// acknowledge full-size segments at once and small ones late (STAGED, "delayed ACKs").  0: all.
  std::uint32_t full_size = 0;
  /// A connection silent for this long is forgotten when room is needed.
  Duration idle = std::chrono::minutes{10};
};

/// Turns each packet into the requests and responses that it is.
///
/// It keeps a cache line per TCP or QUIC connection: to know a keep-alive from data, the client
/// from the server, and an acknowledgment already looked up from a new one.  All else is stateless.
class Pairing {
 public:
  Pairing(const HashKey& key, const PairingOptions& options);

  /// The events of a batch, in the order of its packets.  Valid until the next call.
  std::span<const PairEvent> events(std::span<const Summary> batch);

  std::size_t memory_bytes() const { return tcp_.memory_bytes() + quic_.memory_bytes(); }

 private:
  // tcp_rules.cpp
  void tcp(const Summary& packet, std::uint32_t index);
  void tcp_segment(const Summary& packet, std::uint32_t index, TcpConnection& connection);
  void tcp_timestamps(const Summary& packet, std::uint32_t index, TcpConnection& connection);
  void tcp_handshake(const Summary& packet, std::uint32_t index, TcpConnection& connection);
  void tcp_life(const Summary& packet, std::uint32_t index, const TcpConnection& connection);
  // dns_rules.cpp
  void dns_stream(const Summary& packet, std::uint32_t index, TcpConnection& connection);
  // quic_rules.cpp
  void quic(const Summary& packet, std::uint32_t index);
  void quic_handshake(const Summary& packet, std::uint32_t index, QuicConnection& connection);
  void quic_spin(const Summary& packet, std::uint32_t index, QuicConnection& connection);

  /// DNS, NTP and ICMP: one packet asks, one packet answers, the token tells which belong together.
  void exchange(const Summary& packet, std::uint32_t index, Kind kind, bool is_request,
                std::uint64_t token);

  void ask(const Summary& packet, std::uint32_t index, Kind kind, std::uint64_t key,
           std::uint8_t flags) {
    events_.push_back({key, packet.time, index, kind, Leg::server, true, flags});
  }
  void answer(const Summary& packet, std::uint32_t index, Kind kind, std::uint64_t key, Leg leg,
              std::uint8_t flags = 0) {
    if (leg == Leg::client) flags |= requester_is_server;
    events_.push_back({key, packet.time, index, kind, leg, false, flags});
  }

  HashKey key_;
  PairingOptions options_;
  ConnectionTable<TcpConnection> tcp_;
  ConnectionTable<QuicConnection> quic_;
  std::vector<PairEvent> events_;  ///< reused from batch to batch
};

/// 0 if the packet's sender is the lower endpoint in the order of Summary::flow, else 1.
inline unsigned side_of_sender(const Summary& packet) { return packet.source_is_low ? 0u : 1u; }

}  // namespace sojourn
