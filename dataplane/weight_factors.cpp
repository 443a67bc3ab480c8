#include "dataplane/weight_factors.h"

#include <cmath>

#include "dataplane/sample_weight.h"
#include "roundtrip/tables/correction_factors.h"

namespace sojourn {

dp_factors weight_factors(const dp_config& config) {
  const double lives_a_unit =
      std::ldexp(-std::log1p(-1.0 / config.shard_slots), static_cast<int>(config.age_shift));
  const CorrectionFactors factors{{.entry_probability = 1,
                                   .eviction_chance = -std::expm1(-lives_a_unit),
                                   .bits = DP_AGE_BITS,
                                   .step = 1.01,  // rounded further by the places alone
                                   .scale = DP_WEIGHT_ONE,
                                   .boundary_bits = 32,
                                   .max_lives = SampleWeight::max_lives}};
  dp_factors table{};
  for (std::uint32_t place = 0; place < DP_FACTORS; ++place) {
    // dp_log_bin() the other way round.
    constexpr std::uint32_t an_octave = 1u << DP_FACTOR_BITS;
    const std::uint32_t shift = place < 2 * an_octave ? 0 : place / an_octave - 1;
    const std::uint32_t first = (place - shift * an_octave) << shift;
    table.factor[place] = factors.factor(first + ((1u << shift) - 1) / 2);
  }
  return table;
}

}  // namespace sojourn
