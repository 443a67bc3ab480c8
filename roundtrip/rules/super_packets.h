#pragma once
// Segments larger than a packet on the wire: split by the card (TSO), or joined on arrival (GRO).

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/time.h"
#include "roundtrip/rules/coarse_time.h"
#include "roundtrip/rules/tcp_connection.h"

namespace sojourn {

/// IP packets longer than Ethernet's maximum may be super-packets or jumbo frames; beyond the size
/// of jumbo frames (9216 bytes) they are certainly super-packets.
inline constexpr std::uint32_t longest_packet = 1500, longest_jumbo = 9216;

/// The super-packets of one end of a connection that are in flight, in order.
///
/// A capture at a host with segmentation offload (TSO, GSO) sees up to 64 KiB at once.  An
/// acknowledgment may end inside one, and that of a receiver that joins packets (GRO) covers
/// several.  If super-packets were matched only at their ends, only those directly before an
/// acknowledgment would be found, which are the fastest.  So an acknowledgment answers the oldest
/// one that no earlier acknowledgment has reached.  The kernel's own measurement (RFC 6298 section
/// 4) and timestamps (RFC 7323 section 4.3) do the same.  The receiver does not wait for more data:
/// it has to acknowledge two full-size segments at once (RFC 5681 section 4.2), and a super-packet
/// holds at least two.
struct alignas(64) SuperPackets {
  static constexpr unsigned most = 61;
  static constexpr bool may_be_forgotten = true;  ///< then it is as if there were none

  struct Range {
    std::uint32_t start, end;
  };
  /// The super-packet that an acknowledgment is the first to reach.
  struct Answered {
    std::uint32_t end;
    bool is_repeated;  ///< some of its bytes were retransmitted meanwhile
  };

  std::uint64_t flow;
  CoarseTime last_seen;
  std::uint8_t count;
  bool first_is_answered;  ///< of `ranges`
  bool is_split;           ///< an acknowledgment ended inside one: they are certainly not packets
  std::uint64_t repeated;  ///< bit per range
  std::array<Range, most> ranges;

  /// False if there are too many to remember.
  bool add(std::uint32_t start, std::uint32_t end) {
    if (count == most) return false;
    ranges[count++] = {start, end};
    return true;
  }

  struct Reached {
    std::optional<Answered> oldest;  ///< that no acknowledgment has reached before
    bool is_theirs = false;          ///< the number is at the end of or within a super-packet
  };
  /// What this acknowledgment answers.  The super-packets that it covers are forgotten.
  Reached acknowledge(std::uint32_t number) {
    Reached reached;
    unsigned covered = 0;
    for (; covered < count && !is_newer(ranges[covered].end, number); ++covered) {
      reached.is_theirs = ranges[covered].end == number;
      const bool is_free = !(covered == 0 && first_is_answered);
      if (!reached.oldest && is_free && (reached.is_theirs || is_divided(ranges[covered])))
        reached.oldest = at(covered);
    }
    if (covered > 0) {
      std::copy(ranges.begin() + covered, ranges.begin() + count, ranges.begin());
      count = static_cast<std::uint8_t>(count - covered);
      repeated >>= covered;
      first_is_answered = false;
    }
    if (count > 0 && is_newer(number, ranges[0].start)) {
      is_split = reached.is_theirs = true;
      if (!reached.oldest && !first_is_answered) reached.oldest = at(0);
      first_is_answered = true;
    }
    return reached;
  }

  /// These bytes were retransmitted.  True if any super-packet contains some of them.
  bool repeat(std::uint32_t start, std::uint32_t end) {
    bool any = false;
    for (unsigned i = 0; i < count; ++i) {
      if (!is_newer(end, ranges[i].start) || !is_newer(ranges[i].end, start)) continue;
      repeated |= std::uint64_t{1} << i;
      any = true;
    }
    return any;
  }

 private:
  Answered at(unsigned i) const { return {ranges[i].end, (repeated >> i & 1) != 0}; }
  bool is_divided(const Range& range) const {
    return is_split || range.end - range.start > longest_jumbo;
  }
};
static_assert(sizeof(SuperPackets) == 512);

/// How many segments were larger than a packet on the wire.
struct SuperPacketCounters {
  std::uint64_t seen = 0;
  std::uint64_t left_out = 0;  ///< too many in flight to be matched: not counted as requests
};

}  // namespace sojourn
