// What marking, observing and restoring cost, in nanoseconds a packet over a program that does
// nothing.  Every packet is of the next flow, and every mark differs from the one before, so that
// it is written and the checksum corrected.  The option of IPv6 is put in and taken out again in
// one run, so that the next one meets the same packet: two packets' work.

#include "bench/kernel_marking.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "dataplane/marking/marking_program.h"

namespace sojourn {
namespace {

using Timed = MarkingProgram::Timed;
constexpr unsigned fewest_repeats = 4096;

std::vector<std::byte> datagram(bool is_ipv6) {
  std::vector<std::byte> frame(14 + (is_ipv6 ? 40 : 20) + 8 + 100);
  const auto put = [&](std::size_t at, unsigned value) {
    frame[at] = static_cast<std::byte>(value);
  };
  put(12, is_ipv6 ? 0x86 : 0x08);
  put(13, is_ipv6 ? 0xdd : 0x00);
  put(14, is_ipv6 ? 0x60 : 0x45);
  if (is_ipv6) {
    put(14 + 5, 108);
    put(14 + 6, 17);
    put(14 + 8, 0x20);
    put(14 + 24, 0x20);
  } else {
    put(14 + 3, 128);
    put(14 + 8, 64);
    put(14 + 9, 17);
    put(14 + 12, 10);
    put(14 + 16, 10);
  }
  return frame;
}

struct MarkingCase {
  MarkingDuty duty;
  const char* name;
  const char* carrier;
  std::uint32_t flows;
  Timed timed = Timed::duty;
  bool copies = false;
};

/// As it comes to an observer: with the option, if that carries the marks.
std::vector<std::byte> arriving(const MarkingCase& one, bool is_ipv6) {
  std::vector<std::byte> frame = datagram(is_ipv6);
  const auto carrier = *MarkingCarrier::parse(one.carrier);
  if (!is_ipv6 || carrier.kind() != CarrierKind::option || one.timed == Timed::both) return frame;
  std::vector<std::byte> marked(frame.size() + alt_mark_growth);
  std::ranges::copy(std::span{frame}.first(14), marked.begin());
  carrier.insert(std::span{frame}.subspan(14), 1, std::span{marked}.subspan(14));
  return marked;
}

Result<std::array<double, 3>> measure(const MarkingCase& one, int rounds) {
  MarkingProgramOptions options{.setup = {.method = MarkingMethod::multiplexed,
                                          .carrier = *MarkingCarrier::parse(one.carrier),
                                          .early_pulses = true},
                                .duty = one.duty};
  options.force = true;
  options.steps = one.flows;
  options.copies = one.copies;
  if (one.flows > 1) {
    options.setup.flows.clear();
    for (std::uint32_t port = 0; port < one.flows; ++port)
      options.setup.flows.push_back(
          {.source_port = static_cast<std::uint16_t>(port), .protocol = std::uint8_t{17}});
  }
  auto program = MarkingProgram::load(options);
  if (!program) return std::unexpected(program.error());
  if (auto started = program->start_clock(); !started) return std::unexpected(started.error());
  // A run begins cold: one before it meets every flow, and leaves in the caches what they have room
  // for.
  const unsigned repeats = std::max(fewest_repeats, one.flows);
  std::array<double, 3> least;
  least.fill(std::numeric_limits<double>::max());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t which = 0; which < least.size(); ++which) {
      const auto frame = arriving(one, which == 2);
      for (const unsigned count : {repeats, 3 * repeats}) {
        const auto time = program->time_runs(frame, count, which == 0 ? Timed::empty : one.timed);
        if (!time) return std::unexpected(time.error());
        if (count > repeats) least[which] = std::min(least[which], *time);
      }
    }
  return std::array{least[0], least[1] - least[0], least[2] - least[0]};
}

}  // namespace

int print_marking_costs(int rounds) {
  fmt::print("\nalternate marking, the least of {} rounds of {} packets or more\n\n", rounds,
             3 * fewest_repeats);
  fmt::print("{:<10}{:<12}{:>8}{:>8}{:>8}{:>8}\n", "duty", "carrier", "flows", "empty", "IPv4",
             "IPv6");
  constexpr MarkingCase cases[] = {
      {MarkingDuty::mark, "mark", "dscp", 1},
      {MarkingDuty::observe, "observe", "dscp", 1},
      {MarkingDuty::restore, "restore", "dscp", 1},
      {MarkingDuty::mark, "mark", "dscp", 4096},
      {MarkingDuty::observe, "observe", "dscp", 4096},
      {MarkingDuty::restore, "restore", "dscp", 4096},
      {MarkingDuty::mark, "mark", "dscp", 16384},
      {MarkingDuty::observe, "observe", "dscp", 16384},
      {MarkingDuty::restore, "restore", "dscp", 16384},
      {MarkingDuty::observe, "--copies", "dscp", 1, Timed::duty, true},
      {MarkingDuty::observe, "--copies", "dscp", 4096, Timed::duty, true},
      {MarkingDuty::mark, "in, out", "hop-by-hop", 1, Timed::both},
      {MarkingDuty::observe, "observe", "hop-by-hop", 1},
      {MarkingDuty::mark, "in, out", "hop-by-hop", 4096, Timed::both},
  };
  for (const MarkingCase& one : cases) {
    const auto costs = measure(one, rounds);
    if (!costs) {
      fmt::print("skipped: {}\n", costs.error().message);
      return 77;
    }
    fmt::print("{:<10}{:<12}{:>8}{:>8.0f}{:>8.0f}{:>8.0f}\n", one.name, one.carrier, one.flows,
               (*costs)[0], (*costs)[1], (*costs)[2]);
  }
  return 0;
}

}  // namespace sojourn
