#include "estimate/estimates_of.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/run_jobs.h"

namespace sojourn {

std::vector<std::vector<QuantileEstimate>> estimates_of(
    std::span<const Distribution* const> distributions, std::span<const double> qs,
    unsigned threads) {
  constexpr std::uint64_t worth_a_thread = 100'000;  // samples: starting one takes some 50 us
  std::uint64_t samples = 0;
  for (const Distribution* const distribution : distributions) samples += distribution->count();
  const std::uint64_t most =
      std::min<std::uint64_t>(distributions.size(), samples / worth_a_thread);

  std::vector<std::vector<QuantileEstimate>> results(distributions.size());
  run_jobs(results.size(), static_cast<unsigned>(std::min<std::uint64_t>(threads, most)),
           [&](std::size_t i) { results[i] = distributions[i]->estimates(qs); });
  return results;
}

}  // namespace sojourn
