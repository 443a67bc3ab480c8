#pragma once
// What a point exports about a flow (CNF section III): NetFlow's record, and the labels of its end
// packets.

#include <array>
#include <cstdint>
#include <string_view>

#include "core/enum_counters.h"
#include "core/flow_key.h"
#include "core/time.h"

namespace sojourn {

/// Why a record left the cache.
enum class Expiry : std::uint8_t {
  inactive,    // no packet of the flow for the inactive timeout
  active,      // the flow lasted longer than the active timeout
  closed,      // FIN or RST
  cache_full,  // another flow needed the room
  end_of_input,
  count_
};
using ExpiryCounters = EnumCounters<Expiry>;

inline constexpr std::array<std::string_view, ExpiryCounters::size> expiry_names = {
    "inactive", "active", "closed", "cache-full", "end-of-input"};
constexpr std::string_view name_of(Expiry expiry) {
  return expiry_names[static_cast<std::size_t>(expiry)];
}

struct FlowRecord {
  FlowKey key;
  std::uint64_t packets = 0;  ///< selected ones
  std::uint64_t bytes = 0;    ///< of their IP packets
  Timestamp first{};
  Timestamp last{};
  std::uint32_t first_label = 0;
  std::uint32_t last_label = 0;
  std::uint8_t tcp_flags = 0;  ///< all that were seen, or-ed
  Expiry expiry = Expiry::end_of_input;
  std::uint32_t in_moment = 0;  ///< packets in the moment of the last one
  /// Sum over moments (cnf/moment.h) of their squared packets; 0: unknown, as in records from other
  /// exporters.
  std::uint64_t moment_squares = 0;

  /// The packet just counted came in the same moment as the one before, or in a new one.
  void book_moment(bool is_new) {
    in_moment = is_new ? 1 : in_moment + 1;
    moment_squares += 2 * std::uint64_t{in_moment} - 1;  // c^2 - (c - 1)^2
  }

  friend bool operator==(const FlowRecord&, const FlowRecord&) = default;
};

}  // namespace sojourn
