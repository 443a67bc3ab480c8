// The same capture, two engines: each packet goes through the program in the kernel with its own
// time (BPF_PROG_TEST_RUN), and through the exact table of user space.
//
//     sojourn-replay tc|xdp CAPTURE...                each by itself
//     sojourn-replay tc|xdp --together CAPTURE...     all as one: many of a few packets
//     sojourn-replay tc|xdp --random SEED...          packets at random (random_capture.h)
//
// One line for each capture: packets, pairs, differences by class, and unexplained ones.  Exit
// status 1 if there are any of the last, 77 if the kernel does not allow it.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dataplane/kernel_program.h"
#include "dataplane/kernel_sample.h"
#include "dataplane/sample_weight.h"
#include "dataplane/test_user_program.h"
#include "pipeline/rtt_pipeline.h"
#include "tests/dataplane/replayed_capture.h"

namespace sojourn {
namespace {

constexpr std::uint64_t seed = 1;

/// Packets that are already in memory.
class MemorySource final : public Source {
 public:
  explicit MemorySource(std::span<const Packet> packets) : rest_(packets) {}
  Filled next(std::span<Packet> batch) override {
    const std::size_t count = std::min(batch.size(), rest_.size());
    std::ranges::copy(rest_.first(count), batch.begin());
    rest_ = rest_.subspan(count);
    return {count, rest_.empty()};
  }
  bool bytes_stay() const override { return true; }
  const SourceCounters& counters() const override { return counters_; }
  std::span<const std::string> warnings() const override { return {}; }
  double progress() const override { return -1; }

 private:
  std::span<const Packet> rest_;
  SourceCounters counters_;
};

using Pair = std::tuple<std::int64_t, Kind, Leg, std::string, int, std::string, int, std::int64_t>;
using Pairs = std::multiset<Pair>;

Pair pair_of(const Sample& sample) {
  return {to_ns(sample.time),           sample.kind,           sample.leg,
          sample.requester.to_string(), sample.requester_port, sample.responder.to_string(),
          sample.responder_port,        to_ns(sample.delay)};
}

struct Found {
  Pairs pairs;
  std::array<std::uint64_t, kind_count> ambiguous{};
  /// What they represent, and its variance: w (w - 1) each (Horvitz and Thompson 1952).  They wait
  /// longest, so some are overwritten even with much room; if none is, it is 0.
  std::array<double, kind_count> ambiguous_weight{}, ambiguous_variance{};

  bool as_ambiguous_as(const Found& exact, std::size_t kind) const {
    const double margin = 5 * std::sqrt(ambiguous_variance[kind]) + 0.1;
    return std::abs(ambiguous_weight[kind] - static_cast<double>(exact.ambiguous[kind])) <= margin;
  }
};

Found by_exact_table(const Capture& capture) {
  Found found;
  RttOptions options;
  options.kinds = kernel_kinds();
  options.want_samples = true;
  options.seed = seed;
  KeptSamples kept;
  RttPipeline pipeline{options, &kept};
  MemorySource source{capture.packets};
  const std::atomic<bool> stop{false};
  pipeline.run(source, stop);
  for (const Sample& sample : kept.samples()) found.pairs.insert(pair_of(sample));
  for (std::size_t kind = 0; kind < paired_kind_count; ++kind)
    found.ambiguous[kind] = pipeline.measurement().counters(static_cast<Kind>(kind)).ambiguous;
  return found;
}

Found found_in(std::span<const dp_sample> samples, const dp_config& config) {
  Found found;
  const SampleWeight weight{config};
  for (const dp_sample& sample : samples) {
    if (!is_ambiguous(sample))
      found.pairs.insert(pair_of(describe(sample, 1, Duration{0})));
    else if (sample.kind != DP_HANDSHAKE || sample.leg == DP_SUM) {
      const double w = weight.of(sample).value_or(0);
      ++found.ambiguous[sample.kind];
      found.ambiguous_weight[sample.kind] += w;
      found.ambiguous_variance[sample.kind] += w * (w - 1);
    }
  }
  return found;
}

/// By the kernel, packet by packet; nullopt if the kernel refuses one.
Result<std::vector<dp_sample>> by_kernel(const Capture& capture, const DataplaneOptions& options,
                                         Hook hook) {
  auto program = KernelProgram::load(options, hook);
  if (!program) return std::unexpected(program.error());
  std::vector<dp_sample> samples;
  auto keep = [&](const dp_sample& sample) { samples.push_back(sample); };
  for (const Packet& packet : capture.packets) {
    if (packet.captured < 14) continue;  // not even an Ethernet header: both skip it
    set_clocks(program->control(), packet.time);
    if (auto run = program->replay(packet); !run) return std::unexpected(run.error());
    program->read(keep);
  }
  return samples;
}

std::vector<dp_sample> by_twin(const Capture& capture, const DataplaneOptions& options) {
  UserProgram program{make_config(options)};
  for (Packet packet : capture.packets) {
    if (packet.captured < 14) continue;
    packet.captured = std::min(packet.captured, 2048u);  // as much as a test run takes
    set_clocks(program.control(), packet.time);
    program.process(packet);
  }
  return program.samples();
}

/// Both ends of a flow, in either direction.
using Ends = std::pair<std::string, std::string>;
Ends ends_of(const std::string& one, int one_port, const std::string& other, int other_port) {
  Ends ends{fmt::format("{} {}", one, one_port), fmt::format("{} {}", other, other_port)};
  if (ends.second < ends.first) std::swap(ends.first, ends.second);
  return ends;
}

/// Packets on which the two engines may differ: when they passed, and in which flows.  What one
/// engine misses of a flow changes its state for the rest.
struct Different {
  std::set<std::int64_t> times;
  std::set<Ends> flows;

  void insert(std::int64_t time, const Summary& summary) {
    times.insert(time);
    if (summary.ip)
      flows.insert(ends_of(summary.source().to_string(), summary.source_port,
                           summary.destination().to_string(), summary.destination_port));
  }
};
using Reasons = std::map<std::string, Different>;

Reasons expected_differences(const Capture& capture, const DataplaneOptions& options) {
  Reasons reasons;
  UserProgram program{make_config(options)};
  Parser parser{HashKey::from_seed(seed), kernel_kinds()};
  for (const Packet& packet : capture.packets) {
    const std::int64_t time = to_ns(packet.time);
    std::array<Summary, 1> summary{};
    const bool user_reads = parser.summarize({&packet, 1}, summary, 0) == 1;
    const int skip = packet.captured < 14 ? DP_TRUNCATED_LINK : program.process(packet);
    if (user_reads && skip >= 0)
      reasons["in a tunnel or behind a header that the kernel does not read (" +
              std::string{name_of(static_cast<Skip>(skip))} + ")"]
          .insert(time, summary[0]);
    else if (!user_reads && skip < 0)
      reasons["read by the kernel alone"].insert(time, summary[0]);
    else if (user_reads && summary[0].content == Content::tcp && summary[0].payload > 0 &&
             (summary[0].source_port == 53 || summary[0].destination_port == 53))
      reasons["dns over tcp"].insert(time, summary[0]);
    else if (user_reads && packet.captured < packet.length)
      reasons["cut by the snap length"].insert(time, summary[0]);
  }
  return reasons;
}

struct Verdict {
  std::uint64_t equal = 0;
  std::map<std::string, std::uint64_t> explained;
  std::vector<Pair> unexplained;  ///< missing, or too many
};

void explain(const Pair& pair, const Reasons& reasons, Verdict& verdict) {
  const std::int64_t response = std::get<0>(pair), request = response - std::get<7>(pair);
  const Ends ends =
      ends_of(std::get<3>(pair), std::get<4>(pair), std::get<5>(pair), std::get<6>(pair));
  for (const auto& [reason, different] : reasons)
    if (different.times.contains(response) || different.times.contains(request) ||
        different.flows.contains(ends)) {
      ++verdict.explained[reason];
      return;
    }
  verdict.unexplained.push_back(pair);
}

Verdict compare(const Found& exact, const Found& kernel, const Reasons& reasons) {
  Verdict verdict;
  std::vector<Pair> missing, extra;
  std::ranges::set_difference(exact.pairs, kernel.pairs, std::back_inserter(missing));
  std::ranges::set_difference(kernel.pairs, exact.pairs, std::back_inserter(extra));
  verdict.equal = exact.pairs.size() - missing.size();
  for (const Pair& pair : missing) explain(pair, reasons, verdict);
  for (const Pair& pair : extra) explain(pair, reasons, verdict);
  return verdict;
}

/// A request may be overwritten even with much room, and then a copy of it is taken for the first.
/// With another hash key it is a different request: a real difference appears under both keys.
Result<void> set_aside_overwritten(const Capture& capture, DataplaneOptions options, Hook hook,
                                   const Found& exact, Verdict& verdict) {
  options.seed += 1;
  const auto again = by_kernel(capture, options, hook);
  if (!again) return std::unexpected(again.error());
  const Verdict second = compare(exact, found_in(*again, make_config(options)), {});
  verdict.explained["overwritten"] += std::erase_if(verdict.unexplained, [&](const Pair& pair) {
    return std::ranges::find(second.unexplained, pair) == second.unexplained.end();
  });
  return {};
}

bool same_bytes(const std::vector<dp_sample>& a, const std::vector<dp_sample>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(dp_sample)) == 0;
}

int replay(const std::string& name, Capture capture, Hook hook) {
  const std::size_t copies = remove_copies(capture, seed);
  if (capture.packets.empty()) {
    fmt::print("{}: no Ethernet packets\n", name);
    return 0;
  }
  // Room for all: each later request overwrites a pair with a probability of one in the number of
  // slots.
  DataplaneOptions roomy;
  roomy.table_bytes = std::clamp<std::size_t>(capture.packets.size() * 256 * sizeof(dp_slot),
                                              std::size_t{1} << 20, std::size_t{128} << 20);
  roomy.connection_bytes = roomy.table_bytes;
  roomy.fridges = 1;
  roomy.seed = seed;
  roomy.replay = true;
  const auto samples = by_kernel(capture, roomy, hook);
  if (!samples) {
    fmt::print("skipped: {}\n", samples.error().message);
    return 77;
  }
  const Found exact = by_exact_table(capture), kernel = found_in(*samples, make_config(roomy));
  Verdict verdict = compare(exact, kernel, expected_differences(capture, roomy));
  if (!verdict.unexplained.empty())
    if (auto done = set_aside_overwritten(capture, roomy, hook, exact, verdict); !done)
      fmt::print(stderr, "{}\n", done.error().message);

  // Too little room for anything: 48 slots of each fridge are far fewer than the waiting requests.
  DataplaneOptions tiny = roomy;
  tiny.table_bytes = 8 * 1024;
  tiny.connection_bytes = 4 * 1024;
  tiny.fridges = DP_MOST_FRIDGES;
  const auto few = by_kernel(capture, tiny, hook);
  const bool twins = few && same_bytes(*samples, by_twin(capture, roomy)) &&
                     same_bytes(*few, by_twin(capture, tiny));

  std::string line = fmt::format("{}: {} packets, {} pairs, {} equal", name, capture.packets.size(),
                                 exact.pairs.size(), verdict.equal);
  for (const auto& [reason, count] : verdict.explained)
    line += fmt::format("; {} {}", count, reason);
  if (copies > 0) line += fmt::format("; {} copies of packets, left out", copies);
  std::uint64_t ambiguous = 0;
  for (std::size_t kind = 0; kind < paired_kind_count; ++kind)
    if (!kernel.as_ambiguous_as(exact, kind) && verdict.explained.empty()) {
      line += fmt::format("; AMBIGUOUS {} {} in the exact table, {} in the kernel",
                          name_of(static_cast<Kind>(kind)), exact.ambiguous[kind],
                          kernel.ambiguous[kind]);
      ++ambiguous;
    }
  if (!verdict.unexplained.empty())
    line += fmt::format("; UNEXPLAINED {}", verdict.unexplained.size());
  for (const Pair& pair :
       std::span{verdict.unexplained}.first(std::min<std::size_t>(verdict.unexplained.size(), 3)))
    fmt::print(stderr, "  {} ns {} {} {}:{} {}:{} {} ns\n", std::get<0>(pair),
               name_of(std::get<1>(pair)), name_of(std::get<2>(pair)), std::get<3>(pair),
               std::get<4>(pair), std::get<5>(pair), std::get<6>(pair), std::get<7>(pair));
  if (!twins) line += "; the TWIN in user space differs";
  line += fmt::format("; with 8 KiB {} samples", few ? few->size() : 0);
  fmt::print("{}\n", line);
  std::fflush(stdout);
  return !verdict.unexplained.empty() || ambiguous > 0 || !twins ? 1 : 0;
}

int replay(std::span<const std::string> paths, Hook hook) {
  const std::string name =
      paths.size() == 1 ? paths[0] : fmt::format("{} and {} more", paths[0], paths.size() - 1);
  return replay(name, read_captures(paths), hook);
}

int replay_random(std::uint64_t number, Hook hook) {
  constexpr std::size_t count = 20'000;
  return replay(fmt::format("random {}", number), random_capture(number, count), hook);
}

}  // namespace
}  // namespace sojourn

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 2 || (arguments[0] != "tc" && arguments[0] != "xdp")) {
    fmt::print(stderr, "usage: sojourn-replay tc|xdp CAPTURE...\n");
    return 2;
  }
  const auto hook = arguments[0] == "tc" ? sojourn::Hook::tc : sojourn::Hook::xdp;
  if (arguments[1] == "--together") return sojourn::replay(std::span{arguments}.subspan(2), hook);
  int worst = 0;
  const bool random = arguments[1] == "--random";
  for (std::size_t i = random ? 2 : 1; i < arguments.size(); ++i) {
    const int status = random ? sojourn::replay_random(std::stoull(arguments[i]), hook)
                              : sojourn::replay({&arguments[i], 1}, hook);
    if (status == 77) return 77;
    worst = std::max(worst, status);
  }
  return worst;
}
