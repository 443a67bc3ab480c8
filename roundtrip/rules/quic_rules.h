#pragma once
// Requests and responses in QUIC: the handshake's long headers, then the edges of the spin bit.

#include <cstddef>
#include <cstdint>

#include "core/hash.h"
#include "roundtrip/rules/connection_table.h"
#include "roundtrip/rules/event_writer.h"
#include "roundtrip/rules/pairing_options.h"
#include "roundtrip/rules/quic_connection.h"

namespace sojourn {

class QuicRules {
 public:
  static constexpr std::size_t most_events = 6;

  QuicRules(const HashKey& key, const PairingOptions& options)
      : key_(key),
        wanted_(options.kinds.has(Kind::quic)),
        connections_(options.idle, first_connections, options.most_quic_connections,
                     options.in_use) {
    connections_.limit(options.connection_limit_bytes / 4);
  }

  /// Writes the events of one packet to `out` and returns where the next go.
  PairEvent* apply(const Summary& packet, std::uint32_t index, PairEvent* out);

  std::size_t memory_bytes() const { return connections_.memory_bytes(); }
  std::uint64_t without_room() const { return connections_.without_room(); }
  bool is_full() const { return connections_.is_full(); }

 private:
  HashKey key_;
  bool wanted_;
  ConnectionTable<QuicConnection> connections_;
};

}  // namespace sojourn
