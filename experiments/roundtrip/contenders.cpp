#include "experiments/roundtrip/contenders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/run_jobs.h"
#include "roundtrip/tables/fridge_table.h"
#include "roundtrip/tables/table_choice.h"

namespace sojourn {
namespace {

constexpr std::size_t wide_slot_bytes = 16;

std::string octave(double value) { return fmt::format("2^{:.3g}", std::log2(value)); }

Contender chosen(std::string family, TableWishes wishes) {
  wishes.only_table = true;
  const TableChoice choice = choose_table(wishes).value();  // at least 1 KiB: never refused
  return {std::move(family), std::string{name_of(choice.kind)},
          [choice](const RequestTrace& trace, std::uint64_t seed) {
            return with_table(
                choice, [&](auto table) { return samples_of(trace, std::move(table), seed); });
          }};
}

}  // namespace

Contender staged(std::size_t slots, unsigned stages, Duration expire) {
  return {fmt::format("staged-{}", stages), fmt::format("expire {} ms", expire.count() / 1'000'000),
          [=](const RequestTrace& trace, std::uint64_t seed) {
            return samples_of(trace,
                              StagedTable{{.memory_bytes = slots * wide_slot_bytes,
                                           .stages = stages,
                                           .patience = {.expire = expire},
                                           .matches_expired = true}},
                              seed);
          }};
}

Contender fridge(std::size_t slots, double entry_probability) {
  return {"fridge", "p " + octave(entry_probability),
          [=](const RequestTrace& trace, std::uint64_t seed) {
            return samples_of(trace, FridgeTable{{slots * wide_slot_bytes, entry_probability}},
                              seed);
          }};
}

Contender two_fridges(std::size_t slots, unsigned octaves_apart, double p) {
  const double both = std::min(1.0, p * (1 + std::exp2(octaves_apart)));
  return {"two fridges, ivw",
          fmt::format("p {} and {}", octave(p), octave(p * std::exp2(octaves_apart))),
          [=](const RequestTrace& trace, std::uint64_t seed) {
            auto samples = samples_of(trace,
                                      FridgesIvwTable{{.memory_bytes = slots * wide_slot_bytes,
                                                       .fridges = 2,
                                                       .octaves_apart = octaves_apart,
                                                       .entry_probability = both}},
                                      seed);
            weigh_by_inverse_variance(samples);
            return samples;
          }};
}

Contender self_configured(std::size_t memory_bytes) {
  return chosen("ours, self-configured", {.memory_bytes = memory_bytes});
}
Contender pooled_fridges(std::size_t memory_bytes) {
  return chosen("pooled fridges", {.kind = TableKind::fridges, .memory_bytes = memory_bytes});
}
Contender leased(std::size_t memory_bytes) {
  return chosen("leased", {.kind = TableKind::leased, .memory_bytes = memory_bytes});
}

std::vector<Trials> try_all(const RequestTrace& trace, const std::vector<Contender>& contenders,
                            const std::vector<std::uint64_t>& seeds,
                            const std::function<void(double)>& progress) {
  const TrialTruth truth{trace};
  std::vector<Trials> results(contenders.size(), {std::vector<TrialErrors>(seeds.size()),
                                                  std::vector<ShareCurve>(seeds.size())});
  const std::size_t trials = contenders.size() * seeds.size();
  run_jobs(
      trials, std::thread::hardware_concurrency(),
      [&](std::size_t trial) {
        const std::size_t contender = trial / seeds.size(), seed = trial % seeds.size();
        const std::vector<FridgeSample> samples = contenders[contender].run(trace, seeds[seed]);
        results[contender].each[seed] = truth.judge(samples);
        results[contender].curves[seed] = ShareCurve{samples};
      },
      progress);
  return results;
}

}  // namespace sojourn
