#pragma once
// Why a table did not see a request through to its response or its end.

#include <array>
#include <cstdint>
#include <string_view>

#include "core/enum_counters.h"

namespace sojourn {

/// What a fixed-memory table leaves out; the weights of its samples make up for it.
enum class LeftOut : std::uint8_t {
  by_chance,  ///< not admitted: decided at random
  no_room,    ///< its part of the table was full
  given_up,   ///< its slot was reassigned before `--expire`, as planned when it was admitted
  displaced,  ///< overwritten by another request
  too_old,    ///< answered, but so late that its weight would dominate all others
  count_
};
using LeftOutCounters = EnumCounters<LeftOut>;

inline constexpr std::array<std::string_view, LeftOutCounters::size> left_out_names = {
    "by_chance", "no_room", "given_up", "displaced", "too_old"};
inline constexpr std::array<std::string_view, LeftOutCounters::size> left_out_words = {
    "turned away by chance", "found no room", "given up early", "displaced", "too old to weigh"};

}  // namespace sojourn
