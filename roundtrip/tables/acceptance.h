#pragma once
// What share of its requests a full table accepts, a slice of the traffic at a time.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sojourn {

/// What a full table refuses depends on the hash alone, so within a short slice the accepted
/// requests are a fair sample of the attempts, and each stands for attempts/accepts of them.  Over
/// a long time they are not: the busy moments refuse more.
///
/// A slice is counted in attempts, not in time, because that is what fills a table: an eighth of
/// its slots cannot change much.  It lasts until at least `least_accepts` were accepted, and ends
/// with an acceptance, since attempts per k accepts estimate the inverse of the chance without bias
/// (inverse binomial sampling, Haldane 1945).
class Acceptance {
 public:
  static constexpr std::uint32_t least_accepts = 16;
  static constexpr std::uint32_t most_attempts_planned = 4096;

  explicit Acceptance(std::size_t slots)
      : least_attempts_(static_cast<std::uint32_t>(
            std::clamp<std::size_t>(slots / 8, least_accepts, most_attempts_planned))) {}

  /// An upper bound of the accepts of one slice.
  std::size_t most_accepts() const { return least_attempts_; }

  /// True if this was the last of its slice; then finished() is its figure, and a new one begins.
  bool add(bool accepted) {
    ++attempts_;
    if (!accepted) return false;
    ++accepts_;
    if (attempts_ < least_attempts_ || accepts_ < least_accepts) return false;
    finished_ = static_cast<float>(attempts_) / static_cast<float>(accepts_);
    attempts_ = accepts_ = 0;
    return true;
  }

  /// attempts/accepts of the last whole slice.
  float finished() const { return finished_; }
  /// Of the slice that is not over.  The last one has the say of a few accepts: a response that
  /// comes at once must not take the first acceptance of a slice for certainty.
  float running() const {
    constexpr float carried = 4;
    return (static_cast<float>(attempts_) + carried * finished_) /
           (static_cast<float>(accepts_) + carried);
  }

 private:
  std::uint32_t least_attempts_;
  std::uint32_t attempts_ = 0;
  std::uint32_t accepts_ = 0;
  float finished_ = 1;
};

}  // namespace sojourn
