#pragma once
// Which requests and responses the rules look for.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/kind.h"
#include "core/time.h"

namespace sojourn {

/// Initial room for connections; it grows when needed.
inline constexpr std::size_t first_connections = 1024;
inline constexpr std::size_t unlimited_connections = std::numeric_limits<std::size_t>::max();

struct PairingOptions {
  KindSet kinds = KindSet::usual();
  /// Only data segments of at least this IP length are requests of kind tcp: receivers tend to
  /// acknowledge full-size segments at once and small ones late (STAGED, "delayed ACKs").  0: all.
  std::uint32_t full_size = 0;
  /// A connection idle for this long is forgotten when room is needed.
  Duration idle = std::chrono::minutes{10};
  /// How long a request waits (Patience): after that, rules must not take a copy for the first.
  Duration expire = std::chrono::seconds{10};
  /// Memory for queries and echo requests that wait for an answer (AskedBefore).
  std::size_t exchange_bytes = std::size_t{256} << 10;
  /// Remember no more connections than this, in fixed memory (connection_table.h).
  std::size_t most_connections = unlimited_connections, most_quic_connections = most_connections;
  /// Otherwise: report that the table is full rather than use more than this in all; 0: no limit.
  std::size_t connection_limit_bytes = 0;
  /// With fixed memory, a connection that was active within this time is in use.
  Duration in_use = std::chrono::seconds{10};
};

}  // namespace sojourn
