#pragma once
// The missing bytes of one direction of a TCP connection: later bytes have passed, these have not.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/time.h"

namespace sojourn {

/// Up to `most` holes in the sequence numbers, oldest first; only a stream with holes allocates
/// memory.  When there are more, the oldest is forgotten, and a segment that fills it later counts
/// as retransmitted.
class StreamHoles {
 public:
  static constexpr std::size_t most = 64;

  void open(std::uint32_t from, std::uint32_t to, Timestamp now) {
    if (holes_.size() == most) holes_.erase(holes_.begin());
    holes_.push_back({from, to, now});
  }

  /// Whether any byte from `from` to before `to` is missing.
  bool reach(std::uint32_t from, std::uint32_t to) const {
    return std::ranges::any_of(
        holes_, [&](const Hole& hole) { return before(from, hole.to) && before(hole.from, to); });
  }

  struct Filled {
    bool any = false;
    Timestamp opened;  ///< when later bytes passed first
  };
  /// Bytes from `from` to before `to` have passed.
  Filled fill(std::uint32_t from, std::uint32_t to) {
    Filled filled;
    for (std::size_t i = 0; i < holes_.size(); ++i) {
      Hole& hole = holes_[i];
      if (!before(from, hole.to) || !before(hole.from, to)) continue;
      if (!filled.any) filled = {true, hole.opened};
      const bool from_start = !before(hole.from, from), to_end = !before(to, hole.to);
      if (from_start && to_end) {
        holes_.erase(holes_.begin() + static_cast<std::ptrdiff_t>(i--));
      } else if (from_start) {
        hole.from = to;
      } else {
        const Hole rest{to, hole.to, hole.opened};
        hole.to = from;
        if (!to_end && holes_.size() < most) holes_.push_back(rest);
      }
    }
    return filled;
  }

  /// Sequence numbers wrap (RFC 9293 section 3.4).
  static bool before(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a - b) < 0;
  }

 private:
  struct Hole {
    std::uint32_t from = 0, to = 0;
    Timestamp opened;
  };
  std::vector<Hole> holes_;
};

}  // namespace sojourn
