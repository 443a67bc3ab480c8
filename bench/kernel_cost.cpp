// What the program in the kernel costs, in nanoseconds a packet over a program that does nothing.
//
//     sojourn-bench-kernel [ROUNDS [marking|references]]     all, or one part alone
//
// BPF_PROG_TEST_RUN repeats one packet, so the program itself steps flow, sequence number and token
// (dp_config::steps): each repeat is a fresh packet of one of 512 flows.  The cheapest of all
// rounds counts: a busy machine can only add to it.
//
// A test run begins cold.  At XDP more so: the kernel patches its own code for it, which empties
// the caches of addresses on every CPU, and waits until all CPUs have seen it, while others use
// this one's caches.  A program that is attached pays that once.  So two runs are made, one three
// times as long as the other, and what the longer one has more is the cost.

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bench/kernel_marking.h"
#include "bench/kernel_references.h"
#include "dataplane/attachment.h"
#include "dataplane/kernel_program.h"
#include "dataplane/selection_program.h"

namespace sojourn {
namespace {

constexpr unsigned flows_log2 = 9, packets_a_flow = 2;
constexpr unsigned repeats = packets_a_flow << flows_log2;

using Frame = std::vector<std::byte>;

class FrameWriter {
 public:
  FrameWriter& u8(unsigned value) {
    frame_.push_back(static_cast<std::byte>(value));
    return *this;
  }
  FrameWriter& u16(unsigned value) { return u8(value >> 8 & 0xff).u8(value & 0xff); }
  FrameWriter& u32(std::uint32_t value) { return u16(value >> 16).u16(value & 0xffff); }
  FrameWriter& zeros(std::size_t count) {
    frame_.resize(frame_.size() + count);
    return *this;
  }
  FrameWriter& ethernet(unsigned type) {
    return u32(0x02000000).u16(1).u32(0x02000000).u16(2).u16(type);
  }
  FrameWriter& ipv4(unsigned protocol, unsigned length, bool reply) {
    constexpr std::uint32_t client = 0x0a000001, server = 0xc0000201;
    u16(0x4500).u16(20 + length).u32(0).u8(64).u8(protocol).u16(0);
    return reply ? u32(server).u32(client) : u32(client).u32(server);
  }
  Frame take() { return std::move(frame_); }

 private:
  Frame frame_;
};

Frame tcp(bool reply, unsigned payload) {
  FrameWriter frame;
  frame.ethernet(0x0800).ipv4(6, 20 + payload, reply);
  reply ? frame.u16(443).u16(40000).u32(5000).u32(1100)
        : frame.u16(40000).u16(443).u32(1000).u32(5000);
  return frame.u8(5 << 4).u8(16).u16(1000).u32(0).zeros(payload).take();
}

Frame dns(bool reply) {
  FrameWriter frame;
  frame.ethernet(0x0800).ipv4(17, 8 + 12 + 17, reply);
  reply ? frame.u16(53).u16(40000) : frame.u16(40000).u16(53);
  frame.u16(8 + 12 + 17).u16(0).u16(7).u16(reply ? 0x8180 : 0x0100).u16(1).u16(0).u32(0);
  frame.u8(7);
  for (const char letter : {'e', 'x', 'a', 'm', 'p', 'l', 'e'})
    frame.u8(static_cast<unsigned char>(letter));
  return frame.u8(3).u8('o').u8('r').u8('g').u8(0).u16(1).u16(1).take();
}

Frame arp() { return FrameWriter{}.ethernet(0x0806).zeros(46).take(); }

/// Of short and long runs the cheapest, in nanoseconds a run.
struct Least {
  double brief = std::numeric_limits<double>::max(), lengthy = brief;

  double a_packet() const { return (lengthy - brief) / (2 * repeats); }
};

struct Costs {
  Least empty, data, ack, other, query, response, not_ip;
  std::uint64_t samples = 0;
};

Result<Costs> measure(Hook hook, std::uint64_t enter_below, bool histograms, int rounds) {
  DataplaneOptions options;
  options.histograms = histograms;
  options.steps = flows_log2;
  auto program = KernelProgram::load(options, hook);
  if (!program) return std::unexpected(program.error());
  program->control().enter_below = program->control().look_below = enter_below;
  // A program of XDP that is in use somewhere is in the kernel's dispatcher already.  Otherwise the
  // kernel patches its own code for each test run and waits for all CPUs, and what the run before
  // it left in the caches is gone.
  std::optional<Attachment> in_use;
  if (hook == Hook::xdp) {
    if (auto attached = Attachment::attach(*program, {.interface = "lo", .index = 1}, hook))
      in_use.emplace(std::move(*attached));
    else
      return std::unexpected(attached.error());
  }
  Costs costs;
  Error trouble;
  auto found = [](const dp_sample&) {};
  const auto one_run = [&](const Frame& frame, double& least, std::uint64_t from, unsigned count,
                           bool empty) {
    program->set_step(from);
    const auto time = program->time_runs(frame, count, empty);
    if (time)
      least = std::min(least, *time * count);
    else
      trouble = time.error();
    program->read(found);
  };
  // Every run begins at the same flow and sequence number as the one that it answers.
  const auto run = [&](const Frame& frame, Least& least, std::uint64_t from, bool empty = false) {
    one_run(frame, least.brief, from, repeats, empty);
    one_run(frame, least.lengthy, from + repeats, 3 * repeats, empty);
  };
  const Frame data = tcp(false, 100), ack = tcp(true, 0), query = dns(false), response = dns(true);
  // Not in turns with the others: the empty program is not in use, so it has to be patched in.
  for (int round = 0; round < rounds && trouble.message.empty(); ++round)
    run(data, costs.empty, 0, true);
  for (int round = 0; round < rounds && trouble.message.empty(); ++round) {
    const std::uint64_t from = static_cast<std::uint64_t>(round) * 4 * repeats;
    run(data, costs.data, from);
    run(ack, costs.ack, from);
    // The last acknowledgment of each flow once more.
    program->control().hold = static_cast<std::uint32_t>((from + 4 * repeats - 1) >> flows_log2);
    run(ack, costs.other, from);
    program->control().hold = 0;
    run(query, costs.query, from);
    run(response, costs.response, from);
    run(arp(), costs.not_ip, from);
  }
  if (!trouble.message.empty()) return std::unexpected(trouble);
  costs.samples = program->counters().samples;
  return costs;
}

/// A point: every run has another label, so the share that is selected is handed over.
int print_selection(int rounds) {
  fmt::print("\nA point that selects by hash, ns a packet over the empty program\n\n");
  fmt::print("{:<10}{:>7}{:>7}{:>7}{:>7}{:>8}{:>8}{:>12}\n", "sampling", "empty", "data", "ACK",
             "DNS", "mixed", "handed", "bytes each");
  const std::array frames = {tcp(false, 100), tcp(true, 0), dns(false)};
  for (const double sampling : {0.0, 0.01, 0.1}) {
    auto program = SelectionProgram::load(
        {.max = static_cast<std::uint32_t>(sampling * 0x1p32), .steps = true});
    if (!program) {
      fmt::print("skipped: {}\n", program.error().message);
      return 77;
    }
    std::array<Least, 4> least;
    std::uint64_t handed = 0, bytes = 0;
    auto take = [&](const dp_handed&, std::span<const std::byte>) {
      ++handed;
      bytes += sizeof(dp_handed_decided);
      return true;
    };
    for (int round = 0; round < rounds; ++round)
      for (std::size_t what = 0; what < least.size(); ++what) {
        const bool empty = what == frames.size();
        const Frame& frame = frames[empty ? 0 : what];
        for (const bool lengthy : {false, true}) {
          const unsigned count = lengthy ? 3 * repeats : repeats;
          const auto time = program->time_runs(frame, count, empty);
          if (!time) {
            fmt::print("{}\n", time.error().message);
            return 1;
          }
          double& kept = lengthy ? least[what].lengthy : least[what].brief;
          kept = std::min(kept, *time * count);
          program->read(take);
        }
      }
    const auto over = [&](std::size_t what) {
      return least[what].a_packet() - least[3].a_packet();
    };
    const auto seen = static_cast<double>(program->counters().seen);
    fmt::print("{:<10}{:>7.0f}{:>7.0f}{:>7.0f}{:>7.0f}{:>8.0f}{:>7.2f}%{:>12}\n", sampling,
               least[3].a_packet(), over(0), over(1), over(2),
               0.5 * over(0) + 0.4 * over(1) + 0.1 * over(2),
               100 * static_cast<double>(handed) / seen, handed > 0 ? bytes / handed : 0);
  }
  fmt::print("\nmixed: 50 % data, 40 % ACK, 10 % DNS\n");
  return 0;
}

int print_all(int rounds) {
  fmt::print(
      "ns a packet over the empty program, the least of {} rounds of {} packets of {} flows\n\n",
      rounds, 4 * repeats, 1u << flows_log2);
  fmt::print("{:<5}{:<12}{:<6}{:>7}{:>7}{:>7}{:>11}{:>7}{:>10}{:>8}{:>8}{:>9}\n", "hook", "output",
             "p", "empty", "data", "ACK", "other TCP", "query", "response", "not IP", "mixed",
             "samples");
  struct Case {
    Hook hook;
    bool histograms;
    std::uint64_t enter_below;
    const char* probability;
  };
  std::vector<Case> cases;
  for (const Hook hook : {Hook::tc, Hook::xdp})
    for (const bool histograms : {false, true})
      for (const auto& [enter_below, name] :
           {std::pair{std::uint64_t{1} << 32, "1"}, std::pair{std::uint64_t{1} << 28, "1/16"}})
        cases.push_back({hook, histograms, enter_below, name});
  for (const Case& one : cases) {
    const auto costs = measure(one.hook, one.enter_below, one.histograms, rounds);
    if (!costs) {
      fmt::print("skipped: {}\n", costs.error().message);
      return 77;
    }
    const auto over = [&](const Least& least) {
      return least.a_packet() - costs->empty.a_packet();
    };
    // A link that is used by TCP, mostly: data and ACKs, some that neither ask nor answer.
    const double mixed = 0.35 * over(costs->data) + 0.35 * over(costs->ack) +
                         0.2 * over(costs->other) + 0.025 * over(costs->query) +
                         0.025 * over(costs->response) + 0.05 * over(costs->not_ip);
    fmt::print(
        "{:<5}{:<12}{:<6}{:>7.0f}{:>7.0f}{:>7.0f}{:>11.0f}{:>7.0f}{:>10.0f}{:>8.0f}{:>8.0f}{:>9}\n",
        one.hook == Hook::tc ? "tc" : "xdp", one.histograms ? "histograms" : "samples",
        one.probability, costs->empty.a_packet(), over(costs->data), over(costs->ack),
        over(costs->other), over(costs->query), over(costs->response), over(costs->not_ip), mixed,
        costs->samples);
  }
  fmt::print("\nmixed: 35 % data, 35 % ACK, 20 % other TCP, 5 % DNS, 5 % not IP\n");
  return 0;
}

}  // namespace
}  // namespace sojourn

int main(int argc, char** argv) {
  // Counters are per CPU, and so are the steps.
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(std::max(sched_getcpu(), 0)), &one);
  sched_setaffinity(0, sizeof one, &one);
  // An interface without packets, for as long as this runs.
  if (unshare(CLONE_NEWNET) != 0) {
    fmt::print("skipped: network namespaces need root\n");
    return 77;
  }
  const int rounds = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 200;
  if (argc > 2 && std::string_view{argv[2]} == "references")
    return sojourn::print_reference_costs(rounds);
  if (argc > 2 && std::string_view{argv[2]} == "marking")
    return sojourn::print_marking_costs(rounds);
  for (const auto part : {sojourn::print_all, sojourn::print_selection,
                          sojourn::print_marking_costs, sojourn::print_reference_costs})
    if (const int status = part(rounds); status != 0) return status;
  return 0;
}
