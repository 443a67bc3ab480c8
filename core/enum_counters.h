#pragma once
// One counter per enumerator, so that every reason for skipping a packet has its own named count.

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace sojourn {

/// `Enum` is an enum class that counts up from 0 and ends in `count_`.
template <class Enum>
class EnumCounters {
 public:
  static constexpr std::size_t size = static_cast<std::size_t>(Enum::count_);

  std::uint64_t& operator[](Enum which) { return counts_[static_cast<std::size_t>(which)]; }
  std::uint64_t operator[](Enum which) const { return counts_[static_cast<std::size_t>(which)]; }

  std::uint64_t total() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  }

  EnumCounters& operator+=(const EnumCounters& other) {
    for (std::size_t i = 0; i < size; ++i) counts_[i] += other.counts_[i];
    return *this;
  }

 private:
  std::array<std::uint64_t, size> counts_{};
};

}  // namespace sojourn
