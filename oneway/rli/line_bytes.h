#pragma once
// What a packet takes on the link besides its own bytes.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace sojourn {

/// A link sends more than IP packets: headers, checksums, preambles, gaps and padding.  Without
/// these, back-to-back packets seem to have pauses between them.
struct LineBytes {
  std::uint32_t overhead = 0;  ///< for each packet
  std::uint32_t least = 0;     ///< minimum per packet, including overhead

  /// IEEE 802.3: header 14, checksum 4, preamble 8, gap 12; the smallest frame is 64 with 20
  /// around.
  static constexpr LineBytes ethernet() { return {38, 84}; }

  constexpr std::uint32_t of(std::uint32_t packet_bytes) const {
    return std::max(packet_bytes + overhead, least);
  }
};

/// Detects when packets follow each other more closely than the overhead allows: then it is less.
/// On a busy link most gaps in spare bytes equal the overhead, none are below it, and idle times
/// are above.
class SpareBytes {
 public:
  /// Bytes that had passed between two packets, less those of the second one.
  void add(double spare) {
    if (spare < -1.5)
      ++impossible_;
    else if (spare < static_cast<double>(counts_.size()) - 0.5)
      ++counts_[static_cast<std::size_t>(std::max(0.0, spare + 0.5))];
    ++seen_;
  }
  std::uint64_t seen() const { return seen_; }
  /// More than a hundredth came faster than the link can send: the stated capacity is too small.
  bool faster_than_link() const { return seen_ >= 1'000 && impossible_ * 100 > seen_; }
  /// The overhead that packets show, if they contradict a greater one; otherwise `stated`.
  std::uint32_t overhead(std::uint32_t stated) const;

 private:
  std::array<std::uint32_t, 64> counts_{};  ///< by spare bytes
  std::uint64_t seen_ = 0, impossible_ = 0;
};

}  // namespace sojourn
