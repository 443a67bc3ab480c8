// The same capture, both outputs of the kernel's program: delays added up there, and single
// samples.
//
//     sojourn-replay-histograms tc|xdp CAPTURE...
//     sojourn-replay-histograms tc|xdp --random SEED...
//
// In a table that is far too small:
//
//     the kernel's histograms are those of the same headers compiled for user space, byte by byte;
//     they hold as many samples as were reported, of each kind and leg, and of the same weight
//     within 1 %;
//     over 60 keys of the hash the mean of their weights, of all delays and of the slow ones, is
//     that of the exact table, within five standard errors (a false alarm in some 10^5 runs).
//     Samples counted without the factors are the twin that has to be outside.
//
// Exit status 1 if any of these fails, 77 if the kernel does not allow it.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "dataplane/kernel_program.h"
#include "dataplane/kernel_sample.h"
#include "dataplane/sample_weight.h"
#include "dataplane/test_user_program.h"
#include "pipeline/kernel_histograms.h"
#include "tests/dataplane/replayed_capture.h"

namespace sojourn {
namespace {

constexpr std::size_t keys = 60;

DataplaneOptions small_table(std::uint64_t seed, bool histograms) {
  DataplaneOptions options;
  options.table_bytes = 64 * sizeof(dp_slot);
  options.connection_bytes = std::size_t{16} << 20;  // enough for all connections
  options.fridges = 1;
  options.seed = seed;
  options.replay = true;
  options.histograms = histograms;
  return options;
}

template <class Program>
void set_time(Program& program, const Packet& packet) {
  set_clocks(program.control(), packet.time);
}

UserProgram by_twin(const Capture& capture, const DataplaneOptions& options) {
  UserProgram program{make_config(options)};
  for (Packet packet : capture.packets) {
    packet.captured = std::min(packet.captured, 2048u);  // as much as a test run takes
    set_time(program, packet);
    program.process(packet);
  }
  return program;
}

/// `keep` receives the reported samples.
template <class Keep>
Result<KernelProgram> by_kernel(const Capture& capture, const DataplaneOptions& options, Hook hook,
                                Keep keep) {
  auto program = KernelProgram::load(options, hook);
  if (!program) return program;
  for (const Packet& packet : capture.packets) {
    set_time(*program, packet);
    if (auto run = program->replay(packet); !run) return std::unexpected(run.error());
    program->read(keep);
  }
  return program;
}

template <class Value>
bool same_bytes(std::span<const Value> a, std::span<const Value> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

/// What the samples of a leg add up to.
struct Sums {
  std::uint64_t samples = 0;
  double weight = 0;
};
using SumsByLeg = std::array<std::array<Sums, leg_count>, kind_count>;

SumsByLeg add_up(std::span<const dp_sample> samples, const dp_config& config) {
  const SampleWeight weight{config};
  SumsByLeg sums{};
  for (const dp_sample& sample : samples) {
    const auto w = weight.of(sample);
    if (!w || is_ambiguous(sample)) continue;
    Sums& leg = sums[sample.kind][sample.leg];
    ++leg.samples;
    leg.weight += *w;
  }
  return sums;
}

/// The histograms against the samples of the same key; returns how many differ.
int compare(const DataplaneHistograms& histograms, const dp_config& config, const SumsByLeg& sums) {
  int different = 0;
  for (std::size_t kind = 0; kind < paired_kind_count; ++kind)
    for (std::size_t leg = 0; leg < leg_count; ++leg) {
      const Distribution found =
          distribution_of(histograms, config, static_cast<Kind>(kind), static_cast<Leg>(leg));
      const Sums& expected = sums[kind][leg];
      if (found.count() == expected.samples &&
          std::abs(found.total_weight() - expected.weight) <= 0.01 * expected.weight + 0.02)
        continue;
      ++different;
      fmt::print("  DIFFERENT {} {}: {} samples of weight {:.2f}, handed over {} of {:.2f}\n",
                 name_of(static_cast<Kind>(kind)), name_of(static_cast<Leg>(leg)), found.count(),
                 found.total_weight(), expected.samples, expected.weight);
    }
  return different;
}

/// Delays of all kinds and legs, in total, and those above the median.
struct Truth {
  double all = 0, slow = 0;
  std::int64_t median_ns = 0;
};

/// Room for all: nothing is overwritten, or hardly anything.
Truth truth_of(const Capture& capture) {
  DataplaneOptions roomy = small_table(1, false);
  roomy.table_bytes = std::size_t{256} << 20;
  UserProgram program = by_twin(capture, roomy);
  std::vector<std::int64_t> delays;
  for (const dp_sample& sample : program.samples())
    if (!is_ambiguous(sample)) delays.push_back(sample.delay_ns);
  if (delays.empty()) return {};
  std::ranges::sort(delays);
  Truth truth{static_cast<double>(delays.size()), 0, delays[delays.size() / 2]};
  // At the end of a bucket, so that histograms can resolve it as well.
  truth.median_ns = LogBuckets::highest(LogBuckets::index_of(truth.median_ns));
  truth.slow = static_cast<double>(
      std::ranges::count_if(delays, [&](std::int64_t ns) { return ns > truth.median_ns; }));
  return truth;
}

class Mean {
 public:
  void add(double value) {
    ++count_;
    sum_ += value;
    squares_ += value * value;
  }
  double mean() const { return sum_ / count_; }
  double standard_error() const {
    const double variance = squares_ / count_ - mean() * mean();
    return std::sqrt(std::max(variance, 0.0) / (count_ - 1));
  }

 private:
  double count_ = 0, sum_ = 0, squares_ = 0;
};

/// Over many keys, in user space, which does the same (see compare).  Returns how many are biased.
int judge(const Capture& capture, const Truth& truth) {
  std::array<Mean, 2> weights, samples;  // all, slow; as shares of the truth
  for (std::size_t key = 0; key < keys; ++key) {
    const UserProgram program = by_twin(capture, small_table(key, true));
    const auto bins = program.histograms().bins;
    const std::size_t a_leg = make_config(small_table(key, true)).bins;
    std::array<double, 2> weight{}, count{};
    for (std::size_t i = 0; i < bins.size(); ++i) {
      const bool slow = LogBuckets::lowest(static_cast<std::int32_t>(i % a_leg)) > truth.median_ns;
      for (std::size_t what = 0; what < 2; ++what) {
        if (what == 1 && !slow) continue;
        weight[what] += static_cast<double>(bins[i].weight) / DP_WEIGHT_ONE;
        count[what] += static_cast<double>(bins[i].samples);
      }
    }
    weights[0].add(weight[0] / truth.all);
    weights[1].add(weight[1] / truth.slow);
    samples[0].add(count[0] / truth.all);
    samples[1].add(count[1] / truth.slow);
  }
  int wrong = 0;
  constexpr std::array<const char*, 2> names = {"all", "slow"};
  for (std::size_t what = 0; what < 2; ++what) {
    const double margin = 5 * weights[what].standard_error();
    const bool biased = std::abs(weights[what].mean() - 1) > margin;
    const bool blind = samples[what].mean() > 1 - margin;
    fmt::print("  {}: {:.4f} of the truth, within {:.4f} by chance; without factors {:.4f}{}{}\n",
               names[what], weights[what].mean(), margin, samples[what].mean(),
               biased ? "  BIASED" : "", blind ? "  BLIND: factors left out go unnoticed" : "");
    wrong += biased + blind;
  }
  return wrong;
}

int replay(const std::string& name, Capture capture, Hook hook) {
  remove_copies(capture, 1);
  const Truth truth = truth_of(capture);
  fmt::print("{}: {} packets, {:.0f} pairs\n", name, capture.packets.size(), truth.all);
  if (truth.slow < 1) {
    fmt::print("  too few to judge\n");
    return 1;
  }
  const DataplaneOptions counting = small_table(1, true), handing_over = small_table(1, false);
  std::uint64_t unasked = 0;
  const auto counted = by_kernel(capture, counting, hook, [&](const dp_sample&) { ++unasked; });
  if (!counted) {
    fmt::print("skipped: {}\n", counted.error().message);
    return 77;
  }
  int wrong = 0;
  const UserProgram twin = by_twin(capture, counting);
  const DataplaneHistograms ours = counted->histograms(), theirs = twin.histograms();
  const dp_counters our_counters = counted->counters(), their_counters = twin.counters();
  if (!same_bytes(ours.bins, theirs.bins) || !same_bytes(ours.cells, theirs.cells) ||
      !same_bytes(ours.marks, theirs.marks) ||
      std::memcmp(&our_counters, &their_counters, sizeof our_counters) != 0) {
    fmt::print("  the TWIN in user space differs\n");
    ++wrong;
  }
  std::vector<dp_sample> samples;
  const auto handed = by_kernel(capture, handing_over, hook,
                                [&](const dp_sample& sample) { samples.push_back(sample); });
  if (!handed) {
    fmt::print("{}\n", handed.error().message);
    return 1;
  }
  wrong += compare(ours, counted->config(), add_up(samples, handed->config()));
  if (unasked > 0 || samples.empty()) {
    fmt::print("  {} samples handed over with histograms, {} without\n", unasked, samples.size());
    ++wrong;
  }
  fmt::print("  {} samples of a small table, in histograms and one by one\n", samples.size());
  wrong += judge(capture, truth);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace sojourn

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 2 || (arguments[0] != "tc" && arguments[0] != "xdp")) {
    fmt::print(stderr, "usage: sojourn-replay-histograms tc|xdp CAPTURE... | --random SEED...\n");
    return 2;
  }
  const auto hook = arguments[0] == "tc" ? sojourn::Hook::tc : sojourn::Hook::xdp;
  const bool random = arguments[1] == "--random";
  int worst = 0;
  for (std::size_t i = random ? 2 : 1; i < arguments.size(); ++i) {
    const auto name = arguments[i];
    const int status =
        random ? sojourn::replay("random " + name,
                                 sojourn::random_capture(std::stoull(name), 20'000), hook)
               : sojourn::replay(name, sojourn::read_captures({&name, 1}), hook);
    if (status == 77) return 77;
    worst = std::max(worst, status);
  }
  return worst;
}
