#pragma once
// The options of sojourn-emulator.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/time.h"
#include "tests/testbed/link_model.h"

namespace sojourn::testbed {

struct EmulatorOptions {
  std::array<std::string, 2> interfaces;
  std::array<LinkOptions, 2> links;  ///< [0] from the first interface to the second, [1] back
  std::uint64_t seed = 1;
  std::string log;                   ///< empty: none
  std::optional<Duration> duration;  ///< otherwise until SIGINT or SIGTERM
  bool help = false;
};

extern const std::string_view emulator_usage;

/// Everything after the program's name.
Result<EmulatorOptions> parse_command_line(std::span<const std::string_view> arguments);

/// "1%" or "0.01"; from 0 to 1.
Result<double> parse_probability(std::string_view text);

/// "10Mbit", "500kbit", "1Gbit", "9600bit": bits per second, powers of 1000.
Result<double> parse_rate(std::string_view text);

}  // namespace sojourn::testbed
