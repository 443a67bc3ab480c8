#pragma once
// The two places between which delay is measured.

#include <cstddef>
#include <cstdint>

namespace sojourn {

enum class Point : std::uint8_t { first, last };

constexpr Point other(Point point) { return point == Point::first ? Point::last : Point::first; }
constexpr std::size_t index_of(Point point) { return static_cast<std::size_t>(point); }

}  // namespace sojourn
