#pragma once
// From summaries of packets to requests and responses: which packets form a pair.

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/hash.h"
#include "core/huge_array.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/rules/asked_before.h"
#include "roundtrip/rules/pairing_options.h"
#include "roundtrip/rules/quic_rules.h"
#include "roundtrip/rules/tcp_rules.h"
#include "wire/summary.h"

namespace sojourn {

/// Turns each packet into its requests and responses.
///
/// It keeps a cache line per TCP or QUIC connection to distinguish keep-alives from data, client
/// from server, and new acknowledgments from those already looked up.  For other protocols it
/// remembers unanswered requests for two minutes.
class Pairing {
 public:
  Pairing(const HashKey& key, const PairingOptions& options);

  /// The events of a batch (at most PairEvent::most_summaries), in the order of its packets.  Valid
  /// until the next call.
  std::span<const PairEvent> events(std::span<const Summary> batch);

  std::size_t memory_bytes() const {
    return tcp_.memory_bytes() + quic_.memory_bytes() + asked_.memory_bytes();
  }
  const SuperPacketCounters& super_packets() const { return tcp_.super_packets(); }
  /// There are too many connections for the limit; a caller that set one stops.
  bool is_full() const { return tcp_.is_full() || quic_.is_full(); }
  /// Connections that were forgotten while in use, or never remembered, for lack of memory.
  std::uint64_t connections_without_room() const {
    return tcp_.without_room() + quic_.without_room();
  }

 private:
  template <bool wants_tcp>
  std::span<const PairEvent> events_of(std::span<const Summary> batch);
  PairEvent* other(const Summary& packet, std::uint32_t index, PairEvent* out);
  PairEvent* exchange(const Summary& packet, std::uint32_t index, Kind kind, bool is_request,
                      PairEvent* out);
  void make_room(std::size_t packets);

  HashKey key_;
  KindSet kinds_;
  bool wants_tcp_;
  TcpRules tcp_;
  QuicRules quic_;
  AskedBefore asked_;
  HugeArray<PairEvent> events_;   ///< reused from batch to batch
  std::size_t most_packets_ = 0;  ///< that they have room for
};

}  // namespace sojourn
