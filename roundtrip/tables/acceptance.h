#pragma once
// How many requests each one stands for that a full table accepts.

#include <cstdint>

namespace sojourn {

/// What a full table refuses depends on the hash alone, so among the requests of a moment the
/// accepted are a fair sample.  With n_i attempts since the last acceptance, itself included, an
/// accepted request stands for
///
///     s_i = s_(i-1) + (n_i - s_(i-1)) / 8
///
/// the mean of the last few n: their sum is the number of attempts, whatever the load does, since
/// every n is handed on in full, to its own request and the next few.  It is known when the
/// request is stored, so a response that comes at once weighs no less.  Eight is short against
/// anything that changes a table, and costs 1/15 of variance where most are refused.
class Acceptance {
 public:
  /// If it was accepted, stands_for() is its figure then.
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
