#pragma once
// What a run of `sojourn rtt` measures.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/address.h"
#include "core/host_names.h"
#include "core/kind.h"
#include "core/time.h"
#include "estimate/measurement.h"
#include "roundtrip/rules/pairing_options.h"
#include "roundtrip/rules/tcp_connection.h"
#include "roundtrip/tables/table_choice.h"

namespace sojourn {

struct RttOptions {
  KindSet kinds = KindSet::usual();
  TableChoice table = {};  ///< divided among the threads
  bool keep_ambiguous = false;
  std::uint32_t full_size = 0;  ///< see PairingOptions
  std::vector<Prefix> inside;   ///< empty: legs are named server and client
  std::uint64_t seed = 0;
  unsigned threads = 1;
  bool anonymize = false;     ///< replace addresses; prefixes are preserved
  bool loss = false;          ///< also look for signs of loss
  bool names = false;         ///< learn the names of hosts, for the labels of groups
  bool want_samples = false;  ///< pass each sample to the consumer, not only to the measurement
  MeasurementOptions measurement;
};

/// The kinds that must be parsed for that.
inline KindSet kinds_to_parse(const RttOptions& options) {
  KindSet kinds = options.kinds;
  if (options.names) {
    kinds.add(Kind::dns);
    kinds.add(Kind::tls);
  }
  return kinds;
}

/// Packets must carry their interface.
inline bool groups_by_interface(const RttOptions& options) {
  const auto& grouping = options.measurement.grouping;
  return grouping && grouping->by(Grouping::By::interface);
}

/// With a fixed table, the memory of the rules is bounded too.  Of their part, three quarters are
/// for TCP connections, an eighth for QUIC's, and an eighth for super-packets, queries and echoes.
inline std::size_t most_connections(const TableChoice& choice) {
  if (choice.connection_bytes == 0) return unlimited_connections;
  return choice.connection_bytes / sizeof(TcpConnection) / 4 * 3;
}
inline std::size_t most_quic_connections(const TableChoice& choice) {
  if (choice.connection_bytes == 0) return unlimited_connections;
  return choice.connection_bytes / sizeof(TcpConnection) / 8;
}
/// exact: table and connections get half of the limit each.
inline std::size_t connection_limit_bytes(const TableChoice& choice) {
  const std::size_t half = choice.limit_bytes / 2, fixed = PairingOptions{}.exchange_bytes;
  return half - std::min(half, fixed);
}
inline std::size_t exchange_bytes(const TableChoice& choice) {
  constexpr std::size_t most = PairingOptions{}.exchange_bytes, least_for_any = 4096;
  if (choice.connection_bytes == 0) return most;
  return choice.connection_bytes < least_for_any ? 0 : std::min(choice.connection_bytes / 16, most);
}

}  // namespace sojourn
