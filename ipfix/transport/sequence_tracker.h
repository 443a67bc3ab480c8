#pragma once
// What the sequence numbers of a stream of messages say: what is missing, what came twice.

#include <cstdint>
#include <vector>

namespace sojourn::ipfix {

/// RFC 7011 section 3.1: a message's number is the count of data records before it, modulo 2^32.
///
/// The first message is taken as it comes.  What a gap misses may still come late, as over UDP or
/// out of a resent message: the last `most_gaps` gaps are remembered for that.
class SequenceTracker {
 public:
  static constexpr std::size_t most_gaps = 64;
  /// Beyond it is no gap: the sender has begun to count anew.
  static constexpr std::uint32_t most_missing = 1u << 24;

  struct Verdict {
    /// Records missing before this message; negative when it brings records that were missed.
    std::int64_t missing = 0;
    bool repeated = false;  ///< it came before
  };

  /// `counted`: `records` is the number of all data records in it.
  Verdict take(std::uint32_t sequence, std::uint32_t records, bool counted);

 private:
  struct Gap {
    std::uint32_t begin, size;
  };
  bool fill(std::uint32_t sequence, std::uint32_t records);

  bool started_ = false;
  bool expected_is_known_ = true;  ///< the message before was counted
  std::uint32_t expected_ = 0;
  std::vector<Gap> gaps_;
};

}  // namespace sojourn::ipfix
