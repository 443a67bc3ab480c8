#pragma once
// The interface of all tables in which requests wait for their responses.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/time.h"

namespace sojourn {

/// A response that found its request.
struct Match {
  Duration delay;
  double weight = 1;         ///< how many real pairs it represents
  bool ambiguous = false;    ///< the request was seen more than once
  std::uint8_t fridge = 0;   ///< index of the fridge; fridges-ivw combines their weights at the end
  bool for_a_while = false;  ///< its request was Admission::stored_for_a_while
};

/// What became of a request.
enum class Admission : std::uint8_t {
  stored,              ///< it waits as long as a response may come
  stored_for_a_while,  ///< it waits, but its slot may be reassigned before that
  repeated,            ///< it was waiting already
  by_chance,           ///< refused at random
  no_room,             ///< the table, or its part of it, was full
};

/// A table gets requests and responses in the order of their packets.  A response removes its
/// request: the same key requested again is a new request.  The rules ensure that an answered
/// request is not repeated where that would be wrong.  A table allocates at construction (`exact`
/// also when it grows), and uses only key and time.  `prefetch` is called for a whole batch before
/// the first request or response of the batch.
template <class Table>
concept PairTable = requires(Table table, const Table constant, std::uint64_t key, Timestamp time,
                             std::uint8_t request_flags) {
  { constant.prefetch(key) } -> std::same_as<void>;
  { table.request(key, time, request_flags) } -> std::same_as<Admission>;
  { table.response(key, time) } -> std::same_as<std::optional<Match>>;
  { constant.memory_bytes() } -> std::same_as<std::size_t>;
};

}  // namespace sojourn
