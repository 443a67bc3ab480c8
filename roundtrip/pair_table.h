#pragma once
// Where requests wait for their responses: what every table offers.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/time.h"

namespace sojourn {

/// A response that found its request.
struct Match {
  Duration delay;
  double weight = 1;         ///< how many real pairs it stands for
  bool ambiguous = false;    ///< the request was seen more than once
  std::uint8_t fridge = 0;   ///< which of several; fridges-ivw joins their weights at the end
  bool for_a_while = false;  ///< Admission::stored_for_a_while was said of its request
};

/// What became of a request.
enum class Admission : std::uint8_t {
  stored,              ///< it waits now, for as long as a response may come
  stored_for_a_while,  ///< it waits now, but its slot may be given to others before that
  repeated,            ///< it was waiting already
  by_chance,           ///< chance turned it away
  no_room,             ///< the table, or its part of it, was full
};

/// A table is told of requests and responses in the order of their packets.  A response takes its
/// request out: the same key asked again is a new request, and the rules see to it that what was
/// answered once is not asked again where that would be wrong.  It allocates at construction
/// (`exact` also when it grows), and never looks at anything but key and time. `prefetch` is called
/// for a whole batch before the first request or response of the batch.
template <class Table>
concept PairTable = requires(Table table, const Table constant, std::uint64_t key, Timestamp time,
                             std::uint8_t request_flags) {
  { constant.prefetch(key) } -> std::same_as<void>;
  { table.request(key, time, request_flags) } -> std::same_as<Admission>;
  { table.response(key, time) } -> std::same_as<std::optional<Match>>;
  { constant.memory_bytes() } -> std::same_as<std::size_t>;
};

}  // namespace sojourn
