#include "estimate/estimates_of.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace sojourn {

std::vector<std::vector<QuantileEstimate>> estimates_of(std::span<const Distribution* const> distributions,
                                                        std::span<const double> qs, unsigned threads) {
  constexpr std::uint64_t worth_a_thread = 100'000;  // samples: starting one takes some 50 us
  std::uint64_t samples = 0;
  for (const Distribution* const distribution : distributions) samples += distribution->count();
  const std::uint64_t most = std::min<std::uint64_t>(distributions.size(), samples / worth_a_thread);

  std::vector<std::vector<QuantileEstimate>> results(distributions.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < results.size(); i = next++) results[i] = distributions[i]->estimates(qs);
  };
  std::vector<std::jthread> others;
  for (std::uint64_t i = 1; i < std::min<std::uint64_t>(threads, most); ++i) others.emplace_back(work);
  work();
  others.clear();  // joins them
  return results;
}

}  // namespace sojourn
