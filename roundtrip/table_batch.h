#pragma once
// A batch of requests and responses through a table.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kind.h"
#include "core/left_out.h"
#include "core/prefetch.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/pair_table.h"

namespace sojourn {

/// A response of the batch that found its request.
struct EventMatch {
  const PairEvent* event = nullptr;  ///< in the batch
  Match match = {};
};

/// The matches of a batch, and the number of requests added.  Reused from batch to batch.
class BatchOutcome {
 public:
  void start(std::size_t events) {
    if (matches_.size() <= events) matches_.resize(events + 1);
    end_ = matches_.data();
    requests_ = {};
    left_out_ = {};
    counted_.clear();
  }
  std::span<const EventMatch> matches() const {
    return {matches_.data(), static_cast<const EventMatch*>(end_)};
  }
  /// Requests by kind, without repeats and without halves of spans.
  std::uint64_t requests(Kind kind) const { return requests_[index_of(kind)]; }
  /// Those of them that the table leaves out.  Requests stored for a while are included, as given
  /// up, until they are answered.
  const LeftOutCounters& left_out(Kind kind) const { return left_out_[index_of(kind)]; }
  LeftOutCounters& left_out(Kind kind) { return left_out_[index_of(kind)]; }

  /// Events whose requests were counted; only filled in by apply_noting().
  std::span<const PairEvent* const> counted() const { return counted_; }
  void note_counted(const PairEvent& event) { counted_.push_back(&event); }

  void add(const EventMatch& match) { *end_++ = match; }
  /// A match of weight 1.  It is always written and kept only `if_found`: no branch to mispredict.
  /// The rest of a match stays as it was made, so no other kind of match may be added.
  void add_plain_if(unsigned if_found, const PairEvent& event, Duration delay, bool ambiguous) {
    end_->event = &event;
    end_->match.delay = delay;
    end_->match.ambiguous = ambiguous;
    end_ += if_found;
  }
  void count_request_if(unsigned is_counted, Kind kind) { requests_[index_of(kind)] += is_counted; }

 private:
  std::vector<EventMatch> matches_;
  EventMatch* end_ = nullptr;  ///< of the matches; there is room for one more than events
  std::array<std::uint64_t, kind_count> requests_{};
  std::array<LeftOutCounters, kind_count> left_out_{};
  std::vector<const PairEvent*> counted_;
};

/// Whether a match of this event uses up a counted request.  Halves are not counted.
inline bool is_whole(Kind kind, Leg leg) {
  return leg == Leg::sum || (kind != Kind::handshake && kind != Kind::quic);
}

/// One event, without optimisation.
template <bool notes = false, PairTable Table>
[[gnu::always_inline]] inline void apply_event(Table& table, const PairEvent& event,
                                               BatchOutcome& out) {
  if (event.is_request) {
    const Admission admission = table.request(event.key, event.time, told_flags(event));
    const bool counts =
        admission != Admission::repeated && !(event.flags & (half_of_span | is_copy));
    out.count_request_if(counts, event.kind);
    if constexpr (notes)
      if (counts) out.note_counted(event);
    if (!counts || admission == Admission::stored) return;
    ++out.left_out(event.kind)[admission == Admission::by_chance ? LeftOut::by_chance
                               : admission == Admission::no_room ? LeftOut::no_room
                                                                 : LeftOut::given_up];
  } else if (const auto match = table.response(event.key, event.time)) {
    if (match->for_a_while && is_whole(event.kind, event.leg))
      --out.left_out(event.kind)[LeftOut::given_up];  // may wrap; the sum over batches does not
    out.add({&event, *match});
  }
}

/// Requests that the table had stored for the whole time, but then gave up earlier.
template <PairTable Table>
inline void count_given_up(Table& table, BatchOutcome& out) {
  if constexpr (requires { table.has_given_up(); }) {
    if (!table.has_given_up()) [[likely]]
      return;
    for (std::size_t i = 0; i < paired_kind_count; ++i)
      out.left_out(static_cast<Kind>(i))[LeftOut::given_up] +=
          table.take_given_up(static_cast<Kind>(i));
  }
}

/// All events in order, with prefetched slots.  A table may provide its own faster implementation.
template <PairTable Table>
void apply_batch(Table& table, std::span<const PairEvent> events, BatchOutcome& out) {
  out.start(events.size());
  if constexpr (requires { table.apply(events, out); }) {
    table.apply(events, out);
  } else {
    for_each_fetched(
        events, [&](const PairEvent& event) { table.prefetch(event.key); },
        [&](const PairEvent& event, std::uint32_t) { apply_event(table, event, out); });
  }
  count_given_up(table, out);
}

/// The same, and records which requests were counted.
template <PairTable Table>
void apply_noting(Table& table, std::span<const PairEvent> events, BatchOutcome& out) {
  out.start(events.size());
  for (const PairEvent& event : events) apply_event<true>(table, event, out);
  count_given_up(table, out);
}

}  // namespace sojourn
