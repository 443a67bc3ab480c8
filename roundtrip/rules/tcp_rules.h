#pragma once
// Requests and responses in TCP: segments, handshake, timestamps, the life of a connection.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/hash.h"
#include "roundtrip/rules/connection_table.h"
#include "roundtrip/rules/event_writer.h"
#include "roundtrip/rules/pairing_options.h"
#include "roundtrip/rules/super_packets.h"
#include "roundtrip/rules/tcp_connection.h"
#include "wire/headers/dns.h"

namespace sojourn {

class TcpRules {
 public:
  /// The maximum number of events of one packet, without those of DNS messages in its payload.
  static constexpr std::size_t most_events = 10;

  TcpRules(const HashKey& key, const PairingOptions& options);

  void prefetch(std::uint64_t flow) const { connections_.prefetch(flow); }

  /// Writes the events of one packet to `out` and returns where the next go (tcp_apply.h).
  inline PairEvent* apply(const Summary& packet, std::uint32_t index, PairEvent* out);

  std::size_t memory_bytes() const {
    return connections_.memory_bytes() + (super_packets_ ? super_packets_->memory_bytes() : 0);
  }
  std::uint64_t without_room() const { return connections_.without_room(); }
  bool is_full() const {
    return connections_.is_full() || (super_packets_ && super_packets_->is_full());
  }
  const SuperPacketCounters& super_packets() const { return super_packet_counters_; }

 private:
  /// What segment() found about a packet that is a super-packet or may answer one.
  struct Segment {
    bool answers, was_sent, asks;
    std::uint8_t request_flags;
  };

  bool may_be_dns(const Summary& packet) const {
    return wants_dns_ && (packet.source_port == dns_port || packet.destination_port == dns_port);
  }
  template <bool settled, bool every_segment = false>
  inline void segment(EventWriter& write, TcpConnection& connection);
  inline void timestamps(EventWriter& write, TcpConnection& connection) const;
  template <bool stamped, bool every_segment>
  PairEvent* settled(const Summary& packet, std::uint32_t index, TcpConnection& connection,
                     PairEvent* out);
  PairEvent* unsettled(const Summary& packet, std::uint32_t index, TcpConnection& connection,
                       PairEvent* out);
  PairEvent* rare(const Summary& packet, std::uint32_t index, FlowTag flow,
                  TcpConnection& connection, PairEvent* out) const;
  void handshake(EventWriter& write, TcpConnection& connection, bool is_repeated) const;
  void life(EventWriter& write, const TcpConnection& connection, bool is_repeated) const;
  void super_packet(EventWriter& write, TcpConnection& connection, const Segment& found);

  HashKey key_;
  bool wants_segments_, wants_timestamps_, wants_handshake_, wants_life_, wants_dns_;
  bool wants_every_segment_;  ///< of whatever size
  std::uint32_t full_size_;
  unsigned patience_;  ///< PairingOptions::expire in steps of CoarserTime
  ConnectionTable<TcpConnection> connections_;
  std::optional<ConnectionTable<SuperPackets>> super_packets_;  ///< none with very little memory
  SuperPacketCounters super_packet_counters_;
};

}  // namespace sojourn
