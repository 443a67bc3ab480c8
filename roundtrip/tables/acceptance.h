#pragma once
// How many requests an accepted request represents when a table is full.

#include <cstdint>

namespace sojourn {

/// What a full table refuses depends only on the hash, so the accepted requests are at any moment
/// an unbiased sample.  With n_i attempts since the last acceptance, including the accepted one, an
/// accepted request represents
///
///     s_i = s_(i-1) + (n_i - s_(i-1)) / 8
///
/// the mean of the last few n.  Their sum is the number of attempts, however the load changes,
/// since every n is passed on in full to its own request and the next few.  The value is known when
/// the request is stored, so an immediate response has the same weight.  Eight is short against
/// anything that changes a table, and costs 1/15 of variance where most are refused.
class Acceptance {
 public:
  /// If it was accepted, stands_for() is then its value.
  void add(bool accepted) {
    constexpr float memory = 8;
    ++attempts_;
    if (!accepted) return;
    stands_for_ += (static_cast<float>(attempts_) - stands_for_) / memory;
    attempts_ = 0;
  }
  float stands_for() const { return stands_for_; }

 private:
  std::uint32_t attempts_ = 0;
  float stands_for_ = 1;
};

}  // namespace sojourn
