#pragma once
// Segments larger than a packet on the wire: several handed over as one, or joined on arrival.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/time.h"
#include "roundtrip/rules/coarse_time.h"
#include "roundtrip/rules/tcp_connection.h"

namespace sojourn {

/// Longer IP packets than Ethernet carries may be super-packets, or jumbo frames; beyond what those
/// hold (9216 bytes) they surely are.
inline constexpr std::uint32_t longest_packet = 1500, longest_jumbo = 9216;

/// The super-packets that one end of a connection has on their way, in order.
///
/// A capture at a host with segmentation offload (TSO, GSO) sees up to 64 KiB at once.  Their
/// acknowledgments may end inside, and one of a receiver that joins packets (GRO) covers several.
/// Matched only at their ends, those are found that happened to be the last before an
/// acknowledgment, which are the fastest.  So an acknowledgment answers the oldest one that no
/// other has reached into: what the kernel's own measurement does (RFC 6298 section 4), and
/// timestamps do (RFC 7323 section 4.3).  That is no waiting for more data: a receiver has to
/// acknowledge two full-size segments at once (RFC 5681 section 4.2), and a super-packet holds as
/// many.
struct alignas(64) SuperPackets {
  static constexpr unsigned most = 61;
  static constexpr bool may_be_forgotten = true;  ///< then it is as if there were none

  struct Range {
    std::uint32_t start, end;
  };
  /// The super-packet that an acknowledgment is the first to reach into.
  struct Answered {
    std::uint32_t end;
    bool is_repeated;  ///< some of its bytes were sent again meanwhile
  };

  std::uint64_t flow;
  CoarseTime last_seen;
  std::uint8_t count;
  bool first_is_answered;  ///< of `ranges`
  bool is_split;           ///< an acknowledgment has ended inside one: they are surely no packets
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
    bool is_theirs = false;          ///< the number ends with or within a super-packet
  };
  /// What this acknowledgment answers.  Those that it covers are forgotten.
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

  /// These bytes were sent again.  True if any of the super-packets has some of them.
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
  std::uint64_t left_out = 0;  ///< too many on their way to be matched: not counted as requests
};

}  // namespace sojourn
