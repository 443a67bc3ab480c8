// What marking, observing and restoring cost, in nanoseconds a packet over a program that does
// nothing.  Every packet is of the next flow, and every mark differs from the one before, so that
// it is written and the checksum corrected.
//
// The option of IPv6 has to be gone again before the next run.  Each node is measured with the bare
// work of the other, which only makes or takes the room; what that costs is told by runs that take
// (or make) the room in two pieces and in six, and so differ by four.

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

Result<MarkingProgram> program_for(const MarkingCase& one) {
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
  if (!program) return program;
  if (auto started = program->start_clock(); !started) return std::unexpected(started.error());
  return program;
}

/// A run begins cold: one before it meets every flow, and leaves in the caches what they have room
/// for.
Result<void> time_once(MarkingProgram& program, std::span<const std::byte> frame,
                       std::uint32_t flows, Timed what, double& least) {
  const unsigned repeats = std::max(fewest_repeats, flows);
  for (const unsigned count : {repeats, 3 * repeats}) {
    const auto time = program.time_runs(frame, count, what);
    if (!time) return std::unexpected(time.error());
    if (count > repeats) least = std::min(least, *time);
  }
  return {};
}

Result<std::array<double, 3>> measure(const MarkingCase& one, int rounds) {
  auto program = program_for(one);
  if (!program) return std::unexpected(program.error());
  std::array<double, 3> least;
  least.fill(std::numeric_limits<double>::max());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t which = 0; which < least.size(); ++which) {
      auto timed = time_once(*program, arriving(one, which == 2), one.flows,
                             which == 0 ? Timed::empty : one.timed, least[which]);
      if (!timed) return std::unexpected(timed.error());
    }
  return std::array{least[0], least[1] - least[0], least[2] - least[0]};
}

struct OptionCosts {
  double put_in, take_out, both, bare_in, bare_out;
};

Result<OptionCosts> measure_option(std::uint32_t flows, int rounds) {
  const MarkingCase one{MarkingDuty::mark, "", "hop-by-hop", flows, Timed::both};
  auto program = program_for(one);
  if (!program) return std::unexpected(program.error());
  std::array<double, static_cast<std::size_t>(Timed::bare_out6) + 1> least;
  least.fill(std::numeric_limits<double>::max());
  const auto of = [&](Timed what) -> double& { return least[static_cast<std::size_t>(what)]; };
  const auto frame = arriving(one, true);
  for (int round = 0; round < rounds; ++round)
    for (const Timed what : {Timed::empty, Timed::both, Timed::put_in, Timed::take_out,
                             Timed::bare_in2, Timed::bare_in6, Timed::bare_out2, Timed::bare_out6})
      if (auto timed = time_once(*program, frame, flows, what, of(what)); !timed)
        return std::unexpected(timed.error());
  const double empty = of(Timed::empty), in = (of(Timed::bare_in6) - of(Timed::bare_in2)) / 4,
               out = (of(Timed::bare_out6) - of(Timed::bare_out2)) / 4;
  return OptionCosts{of(Timed::put_in) - empty - out, of(Timed::take_out) - empty - in,
                     of(Timed::both) - empty, in, out};
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
      {MarkingDuty::observe, "observe", "hop-by-hop", 1},
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
  fmt::print("\nthe option of IPv6, each node apart; both in one run; and the bare room\n\n");
  fmt::print("{:>8}{:>8}{:>10}{:>8}{:>12}{:>12}\n", "flows", "put in", "take out", "both",
             "make room", "take room");
  for (const std::uint32_t flows : {1u, 4096u, 16'384u}) {
    const auto costs = measure_option(flows, rounds);
    if (!costs) {
      fmt::print("skipped: {}\n", costs.error().message);
      return 77;
    }
    fmt::print("{:>8}{:>8.0f}{:>10.0f}{:>8.0f}{:>12.0f}{:>12.0f}\n", flows, costs->put_in,
               costs->take_out, costs->both, costs->bare_in, costs->bare_out);
  }
  return 0;
}

}  // namespace sojourn
