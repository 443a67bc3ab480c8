#pragma once
// How long a request may wait, drawn at random: heavy-tailed leases of known survival.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/time.h"

namespace sojourn {

/// Leases with survival
///
///     S(t) = P(lease >= t) = min(1, (shortest / t)^tail)      for t <= longest, and 0 beyond
///
/// drawn from 32 random bits u.  Leases come in 464 steps: the leading five bits of u select the
/// step, so a slot stores its lease in nine bits, and P(lease >= step) is an exact count of u's.
/// The smaller u, the longer the lease.
class LeaseTerms {
 public:
  struct Options {
    Duration shortest = std::chrono::milliseconds{10};
    double tail = 0.75;  ///< smaller keeps more for slow pairs and less for others
    Duration longest = std::chrono::seconds{10};
  };
  static constexpr std::size_t steps = 464;

  explicit LeaseTerms(const Options& options);

  static constexpr unsigned draw(std::uint32_t u) { return step_of(u); }
  std::int64_t lease_ns(unsigned step) const { return lease_ns_[step]; }

  /// S(delay) for a delay that some lease covers.
  double survival(std::int64_t delay_ns) const {
    if (delay_ns <= lease_ns_[steps - 1]) return 1;
    unsigned step = first_guess_[step_of(static_cast<std::uint64_t>(delay_ns))];
    while (step > 0 && lease_ns_[step] < delay_ns) --step;
    return survival_[step];
  }

 private:
  static constexpr int mantissa_bits = 4;
  static constexpr std::size_t delay_steps = (65 - mantissa_bits) << mantissa_bits;  ///< of 64 bits

  /// The layout of LogBuckets with four bits: exponent and the bits after the leading one.
  static constexpr unsigned step_of(std::uint64_t value) {
    const int shift =
        63 - mantissa_bits - std::countl_zero(value | (std::uint64_t{1} << mantissa_bits));
    return (static_cast<unsigned>(shift) << mantissa_bits) + static_cast<unsigned>(value >> shift);
  }
  static constexpr std::uint64_t last_of(unsigned step) {
    const unsigned shift = step < 32 ? 0 : (step >> mantissa_bits) - 1;
    return ((std::uint64_t{step - (shift << mantissa_bits)} + 1) << shift) - 1;
  }

  std::array<std::int64_t, steps> lease_ns_;  ///< falls with the step
  std::array<double, steps> survival_;
  std::array<std::uint16_t, delay_steps>
      first_guess_;  ///< last step that covers the least such delay
};

}  // namespace sojourn
