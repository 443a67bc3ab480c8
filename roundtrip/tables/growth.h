#pragma once
// e^x for weights: a few nanoseconds instead of a library call.

#include <bit>
#include <cstdint>

namespace sojourn {

/// e^x for |x| <= 700, within 1e-8 of the exact value (growth_test).
///
/// x = n ln 2 + r with |r| <= ln 2 / 2; e^r is its Taylor polynomial of degree 7, whose first
/// missing term is r^8 / 8! < 6e-9, and 2^n goes directly into the exponent.  A weight needs no
/// more precision: its own sampling error is some per cent.
constexpr double growth(double x) {
  constexpr double log2_e = 1.4426950408889634, ln_2 = 0.6931471805599453;
  // Adding and subtracting 1.5 * 2^52 rounds to the nearest whole number without a branch.
  constexpr double rounder = 6755399441055744.0;
  const double n = (x * log2_e + rounder) - rounder;
  const double r = x - n * ln_2;
  const double low = 1 + r * (1 + r * (1.0 / 2 + r * (1.0 / 6)));
  const double high = 1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720 + r * (1.0 / 5040)));
  const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(n) + 1023) << 52;
  return (low + (r * r) * (r * r) * high) * std::bit_cast<double>(exponent);
}

}  // namespace sojourn
