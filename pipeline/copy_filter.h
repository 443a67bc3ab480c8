#pragma once
// Packets that were captured twice: a mirror of both directions of a port, `-i any`, a bridge.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/hash.h"
#include "core/time.h"
#include "wire/summary.h"

namespace sojourn {

/// Removes copies from the stream of summaries, so that only the first sighting of each packet is
/// measured.  Without it a copy looks like a retransmission, and the request becomes ambiguous.
///
/// A copy is the same innermost IP packet again, except for fields that change on the way (TTL,
/// DSCP, VLAN, everything outside):
///
///   - with an IPv4 identification: within `longest_gap`.  A retransmission gets a new one.
///   - without (IPv6, or 0, which RFC 6864 allows beside DF): within `longest_gap_without_id`,
///   which
///     is below what a sender's timers allow (TCP's shortest is 2 ms, RFC 8985 section 7).
///     Acknowledgments without data, resets and responses of other protocols are left alone then:
///     hosts repeat them themselves, and a second one finds no request and changes nothing.
///
/// Memory is fixed: a direct-mapped table of recent digests.  If a packet is displaced before its
/// copy comes, the copy is missed; a false match needs 32 equal bits of a keyed hash.
///
/// Captures without copies pay little: all of the first `first_packets` are checked, then one in
/// 16, a window of 1024 at a time, until a copy is found.  From then on all are checked, until
/// there was no copy for `patience` packets.  Flows are judged in `groups`, so that the result is
/// the same with any number of threads up to that many.
class CopyFilter {
 public:
  static constexpr Duration longest_gap = std::chrono::milliseconds{10};
  static constexpr Duration longest_gap_without_id = std::chrono::milliseconds{1};
  static constexpr std::uint32_t first_packets = 1u << 16, patience = 1u << 16;
  static constexpr std::uint32_t window = 1u << 10, windows_from = 1u << 14;
  static constexpr std::size_t groups = 16, slots_per_group = 1024;

  explicit CopyFilter(const HashKey& key);

  /// Moves the packets that are no copies to the front of the batch, in order, and returns them.
  std::span<const Summary> remove(std::span<Summary> batch) {
    if (batch.empty() || !may_look(batch.front().index, batch.back().index)) return batch;
    return look_at(batch);
  }

  std::uint64_t copies() const { return copies_; }
  std::size_t memory_bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint32_t digest = 0;
    std::uint32_t time = 0;  ///< in units of 2^tick_bits ns, modulo 2^32
  };
  static constexpr unsigned tick_bits = 12;  // 4.1 us, so that it wraps after five hours
  /// What identifies a packet, and where it is stored; no gap is allowed if copies cannot be
  /// recognised.
  struct Look {
    std::uint32_t slot;  ///< these two only if a gap is allowed
    std::uint32_t digest;
    std::int64_t allowed_ns;
    bool is_prepared;
  };

  /// Flows are distributed to threads by these bits, from the highest down (shard_of).
  static std::size_t group_of(const Summary& summary) {
    return (summary.flow & 0xffffu) * groups >> 16;
  }

  static constexpr bool in_window(std::uint32_t index) { return index % windows_from < window; }
  static constexpr bool is_before(std::uint32_t index, std::uint32_t end) {
    return static_cast<std::int32_t>(index - end) < 0;  // the index may wrap
  }
  /// Whether one of these packets may have to be checked; windows begin at multiples.
  bool may_look(std::uint32_t first, std::uint32_t last) const {
    return is_before(first, looks_until_) || in_window(first) ||
           first / windows_from != last / windows_from;
  }
  std::span<const Summary> look_at(std::span<Summary> batch);
  bool looks_at(const Summary& summary) const;
  void prepare(const Summary& summary, Look& look) const;
  bool is_copy(const Summary& summary, const Look& look);

  HashKey key_;
  std::vector<Slot> slots_;
  std::array<std::uint32_t, groups> group_looks_until_;
  std::uint32_t looks_until_ = first_packets;  ///< the latest of them
  std::uint64_t copies_ = 0;
};

}  // namespace sojourn
