#pragma once
// A batch of requests and responses through a table.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kind.h"
#include "core/prefetch.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/pair_table.h"

namespace sojourn {

/// A response of the batch that found its request.
struct EventMatch {
  std::uint32_t event;  ///< which of the batch
  Match match;
};

/// What a batch found, and how many requests it added.  Reused from batch to batch.
class BatchOutcome {
 public:
  void start(std::size_t events) {
    if (matches_.size() < events) matches_.resize(events);
    count_ = 0;
    requests_ = {};
  }
  std::span<const EventMatch> matches() const { return {matches_.data(), count_}; }
  /// Requests by kind, without repeats and without halves of spans.
  std::uint64_t requests(Kind kind) const { return requests_[index_of(kind)]; }

  void add(const EventMatch& match) { matches_[count_++] = match; }
  /// Writes the match in any case and keeps it only `if_found`: no branch to mispredict.
  void add_if(unsigned if_found, const EventMatch& match) {
    matches_[count_] = match;
    count_ += if_found;
  }
  void count_request_if(unsigned is_counted, Kind kind) { requests_[index_of(kind)] += is_counted; }

 private:
  std::vector<EventMatch> matches_;
  std::size_t count_ = 0;
  std::array<std::uint64_t, kind_count> requests_{};
};

/// One event, the plain way.
template <PairTable Table>
void apply_event(Table& table, const PairEvent& event, std::uint32_t index, BatchOutcome& out) {
  if (event.is_request) {
    const Admission admission = table.request(event.key, event.time, event.flags);
    out.count_request_if(admission != Admission::repeated && !(event.flags & half_of_span),
                         event.kind);
  } else if (const auto match = table.response(event.key, event.time)) {
    out.add({index, *match});
  }
}

/// All events in order, their slots fetched ahead.  A table may bring a faster way of its own.
template <PairTable Table>
void apply_batch(Table& table, std::span<const PairEvent> events, BatchOutcome& out) {
  out.start(events.size());
  if constexpr (requires { table.apply(events, out); }) {
    table.apply(events, out);
  } else {
    for_each_fetched(
        events, [&](const PairEvent& event) { table.prefetch(event.key); },
        [&](const PairEvent& event, std::uint32_t index) {
          apply_event(table, event, index, out);
        });
  }
}

}  // namespace sojourn
