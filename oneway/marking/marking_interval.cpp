#include "oneway/marking/marking_interval.h"

#include <cmath>

#include "core/units.h"

namespace sojourn {

Result<MarkingInterval> MarkingInterval::parse(std::string_view text) {
  const auto duration = parse_duration(text);
  if (!duration) return std::unexpected(duration.error());
  // 1000 is accepted for 1024, which is 2.4 % more.
  constexpr double nearly = 1.025;
  const double wanted = static_cast<double>(to_ns(*duration));
  for (int exponent = shortest; exponent <= longest; ++exponent) {
    const double length = std::ldexp(1e9, exponent);
    if (wanted <= length * nearly && length <= wanted * nearly) return MarkingInterval{exponent};
  }
  return failure("'" + std::string{text} +
                 "' is not a marking interval: use 1ms, 2ms, 4ms and so on to 64s, "
                 "each twice the one before");
}

std::string MarkingInterval::name() const {
  return exponent_ >= 0 ? std::to_string(1 << exponent_) + "s"
                        : std::to_string(1 << (10 + exponent_)) + "ms";
}

}  // namespace sojourn
