#pragma once
// Requests and responses in TCP: segments, handshake, timestamps, the life of a connection.

#include <cstddef>
#include <cstdint>

#include "core/hash.h"
#include "roundtrip/rules/connection_table.h"
#include "roundtrip/rules/event_writer.h"
#include "roundtrip/rules/pairing_options.h"
#include "roundtrip/rules/tcp_connection.h"

namespace sojourn {

class TcpRules {
 public:
  /// The most events that one packet can give, without those of DNS messages in its payload.
  static constexpr std::size_t most_events = 8;

  TcpRules(const HashKey& key, const PairingOptions& options);

  void prefetch(std::uint64_t flow) const { connections_.prefetch(flow); }

  /// Writes the events of one packet to `out` and returns where the next go (tcp_steady.h).
  PairEvent* apply(const Summary& packet, std::uint32_t index, PairEvent* out);

  /// The same without the shortcut for steady packets; both agree (tcp_steady_test).
  PairEvent* apply_the_long_way(const Summary& packet, std::uint32_t index, PairEvent* out) {
    TcpConnection& connection = connections_.at(packet.flow, packet.time);
    connection.last_seen = packet.time;
    return unsteady(packet, index, connection, out);
  }

  std::size_t memory_bytes() const { return connections_.memory_bytes(); }
  std::uint64_t without_room() const { return connections_.without_room(); }

 private:
  bool is_steady(const Summary& packet, const TcpConnection& connection) const;
  PairEvent* steady(const Summary& packet, std::uint32_t index, TcpConnection& connection,
                    PairEvent* out) const;
  PairEvent* unsteady(const Summary& packet, std::uint32_t index, TcpConnection& connection,
                      PairEvent* out) const;
  void segment(EventWriter& write, TcpConnection& connection) const;
  void timestamps(EventWriter& write, TcpConnection& connection) const;
  PairEvent* rare(const Summary& packet, std::uint32_t index, TcpConnection& connection,
                  PairEvent* out) const;
  void handshake(EventWriter& write, TcpConnection& connection) const;
  void life(EventWriter& write, const TcpConnection& connection) const;

  HashKey key_;
  bool wants_segments_, wants_timestamps_, wants_handshake_, wants_life_, wants_dns_;
  std::uint32_t full_size_;
  ConnectionTable<TcpConnection> connections_;
};

}  // namespace sojourn
