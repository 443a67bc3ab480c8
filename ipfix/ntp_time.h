#pragma once
// Times of information elements 154 to 157: NTP's format (RFC 7011 sections 6.1.9 and 6.1.10),
// seconds since 1900 and a binary fraction, 32 bits each.  Collectors often read it as nanoseconds.

#include <cstdint>

#include "core/time.h"

namespace sojourn::ipfix {

inline constexpr std::int64_t seconds_1900_to_1970 = 2'208'988'800;

/// To the nearest 2^-32 s, which is a quarter of a nanosecond: from_ntp gives the same nanosecond.
/// Holds from 1968 to 2104; beyond, the era is lost.
constexpr std::uint64_t to_ntp(Timestamp time) {
  // Divisions of unsigned numbers are cheaper: count from 1677, the earliest time there is.
  constexpr std::uint64_t shift_seconds = 9'223'372'037;
  const std::uint64_t ns = static_cast<std::uint64_t>(to_ns(time)) + shift_seconds * 1'000'000'000u;
  const std::uint64_t seconds = ns / 1'000'000'000u, rest = ns % 1'000'000'000u;
  const std::uint64_t fraction = ((rest << 32) + 500'000'000u) / 1'000'000'000u;
  const std::uint64_t since_1900 =
      seconds - shift_seconds + static_cast<std::uint64_t>(seconds_1900_to_1970);
  return (since_1900 << 32) + fraction;  // a fraction never reaches 2^32: rest < 10^9 - 0.5
}

/// RFC 4330 section 3: with the first bit set the time is before 2036, without it after.
constexpr Timestamp from_ntp(std::uint64_t ntp) {
  std::int64_t seconds = static_cast<std::int64_t>(ntp >> 32) - seconds_1900_to_1970;
  if ((ntp >> 63) == 0) seconds += std::int64_t{1} << 32;
  const std::uint64_t fraction = ntp & 0xffff'ffffu;
  const auto ns = static_cast<std::int64_t>((fraction * 1'000'000'000u + (1u << 31)) >> 32);
  return timestamp_from_ns(seconds * 1'000'000'000 + ns);
}

/// Milliseconds since 1970 (elements 152 and 153), rounded down, also before 1970.
constexpr std::int64_t to_milliseconds(Timestamp time) {
  const std::int64_t ns = to_ns(time);
  return ns / 1'000'000 - (ns % 1'000'000 < 0);
}

/// Clamped where nanoseconds since 1970 do not fit 64 bits.
constexpr Timestamp from_milliseconds(std::uint64_t ms) {
  constexpr std::uint64_t most = 9'223'372'036'854;
  // Times before 1970 arrive as huge numbers.
  const auto value = static_cast<std::int64_t>(ms);
  if (value < -static_cast<std::int64_t>(most))
    return timestamp_from_ns(-static_cast<std::int64_t>(most) * 1'000'000);
  if (value > static_cast<std::int64_t>(most))
    return timestamp_from_ns(static_cast<std::int64_t>(most) * 1'000'000);
  return timestamp_from_ns(value * 1'000'000);
}

}  // namespace sojourn::ipfix
