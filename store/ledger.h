#pragma once
// Accounts of everything a point has seen: one for each outcome, and they add up.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_counters.h"
#include "core/time.h"

namespace sojourn {

/// The accounts of one instance of a point.  Packets as the point counts them, then records.
///
///     seen       = not selected + selected
///     selected   = in the cache + exported + spooled + discarded            (packets)
///     exported   = received - repeated + missing, and what is under way     (records)
///     received   = repeated + without label + joined + waiting + without partner
///                  + ambiguous + other selection + no room + lost at restart + marks
///                  + references
///     joined     = stored
///     cells received = stored + refused                                     (of round trips)
enum class Account : std::uint8_t {
  packets_seen,
  packets_not_selected,
  packets_selected,
  packets_in_cache,
  packets_exported,
  packets_spooled,
  packets_discarded,
  packets_dropped,  ///< by the kernel, before the point saw them
  records_exported,
  records_spooled,
  records_discarded,
  missing,  ///< by the sequence numbers of the transport
  received,
  repeated,         ///< the same record, or a message that came before
  without_label,    ///< from other exporters
  joined,           ///< with at least one record of another point
  waiting,          ///< for a partner
  without_partner,  ///< timed out
  ambiguous,        ///< its labels were seen at this point before: copies, such as repeated resets
  other_selection,  ///< the only partners select differently, or this point's selection is unknown
  no_room,          ///< removed early, for lack of memory
  lost_at_restart,  ///< waiting when a collector ended without warning
  stored,           ///< joined, and its delays are in the store
  cells_received,   ///< of round trips
  cells_stored,
  cells_refused,  ///< with impossible weights or groups of flows
  marks,          ///< records of alternate marking, joined when a query asks for them
  silences,       ///< times that a point of marks or references fell silent without a goodbye
  references,     ///< records of reference packets
  same_name,      ///< reports that came while another point of the same name reported, too
  count_
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(Account::count_)>
    account_names = {"packets_seen",
                     "packets_not_selected",
                     "packets_selected",
                     "packets_in_cache",
                     "packets_exported",
                     "packets_spooled",
                     "packets_discarded",
                     "packets_dropped",
                     "records_exported",
                     "records_spooled",
                     "records_discarded",
                     "missing",
                     "received",
                     "repeated",
                     "without_label",
                     "joined",
                     "waiting",
                     "without_partner",
                     "ambiguous",
                     "other_selection",
                     "no_room",
                     "lost_at_restart",
                     "stored",
                     "cells_received",
                     "cells_stored",
                     "cells_refused",
                     "marks",
                     "silences",
                     "references",
                     "same_name"};

/// What a collector thinks of a point of marks or references: whether it is there.
enum class MarkingState : std::uint8_t { none, running, silent, ended, count_ };
inline constexpr std::array<std::string_view, static_cast<std::size_t>(MarkingState::count_)>
    marking_state_names = {"none", "running", "silent", "ended"};
constexpr std::string_view name_of(MarkingState state) {
  return marking_state_names[static_cast<std::size_t>(state)];
}

/// As stores keep it; none for a number that means nothing.
constexpr MarkingState marking_state_of(std::int64_t number) {
  const bool known = number >= 0 && number < static_cast<std::int64_t>(MarkingState::count_);
  return known ? static_cast<MarkingState>(number) : MarkingState::none;
}

struct PointLedger {
  std::string point;
  std::uint64_t instance = 0;
  Timestamp first_heard{};
  Timestamp last_heard{};
  EnumCounters<Account> accounts;
  std::string reports;  ///< which messages are in the store: SeenReports as text
  /// As the point last reported; the larger of a segment's two errors limits what its clocks can
  /// tell.
  std::optional<std::int64_t> clock_error_ns;
  MarkingState marking = MarkingState::none;
  Duration marking_interval{};

  std::uint64_t operator[](Account account) const { return accounts[account]; }
  /// Called once a store holds what this ledger counts: its delays are in the same transaction.
  std::uint64_t in_store(Account account) const {
    if (account == Account::stored) return accounts[Account::joined];
    if (account == Account::cells_stored)
      return accounts[Account::cells_received] - accounts[Account::cells_refused];
    return accounts[account];
  }

  /// Exported, but not received: lost on the way, lost with a collector that was killed, or in
  /// flight.  By the point's own count if it sends one, otherwise by the sequence numbers.
  std::uint64_t not_received() const {
    const std::uint64_t here = accounts[Account::received] - accounts[Account::repeated];
    const std::uint64_t exported = accounts[Account::records_exported];
    return exported == 0 ? accounts[Account::missing] : exported > here ? exported - here : 0;
  }
  /// The first sum that does not add up, as a sentence; empty if all do.
  std::string fault() const;
};

/// What the clocks of a segment's points allow.
struct SegmentClock {
  std::uint32_t subject = 0;
  Timestamp slice{};
  std::optional<std::int64_t> error_ns;  ///< sum of both points' stated errors
  /// Last minus first clock, from traffic in both directions.
  std::optional<std::int64_t> offset_low_ns, offset_high_ns;
};

}  // namespace sojourn
