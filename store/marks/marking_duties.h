#pragma once
// What a live point does with marks, by name: in files, on their way, and in a store.

#include <algorithm>
#include <array>
#include <string_view>

namespace sojourn {

/// In the order of MarkingDuty.
inline constexpr std::array<std::string_view, 3> marking_duty_names = {"mark", "observe",
                                                                       "restore"};

constexpr bool is_marking_duty(std::string_view name) {
  return std::ranges::find(marking_duty_names, name) != marking_duty_names.end();
}

}  // namespace sojourn
