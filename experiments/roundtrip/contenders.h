#pragma once
// The tables that L1 to L4 compare, each as built for a number of slots.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/time.h"
#include "experiments/roundtrip/joined_runs.h"
#include "experiments/roundtrip/table_trial.h"

namespace sojourn {

/// How bytes are counted.  A slot of the papers' tables has 8 bytes (STAGED: a 32-bit fingerprint
/// and a 32-bit time; FRIDGE compares at equal slots and leaves its 32-bit counter out of the
/// count).  Our implementations of them have 16 (64-bit times in nanoseconds); they get 16 M bytes
/// and are charged 8 M, so that they have the M slots of their papers.  Our own tables get, and are
/// charged, 8 M bytes.  For all of them only slots are counted, not the parameters and weights,
/// whose size does not depend on M.
constexpr std::size_t paper_slot_bytes = 8;

/// One table at one setting.
struct Contender {
  std::string family;   ///< "staged-4"
  std::string setting;  ///< "expire 512 ms"
  std::function<std::vector<FridgeSample>(const RequestTrace& trace, std::uint64_t seed)> run;
};

/// STAGED with lazy expiry, as in its paper.
Contender staged(std::size_t slots, unsigned stages, Duration expire);
/// FRIDGE with a fixed entry probability.
Contender fridge(std::size_t slots, double entry_probability);
/// FRIDGE's two fridges of equal size, joined by inverse variance; the lifetime of the second is
/// 2^octaves times that of the first, and its entry probability is p.
Contender two_fridges(std::size_t slots, unsigned octaves_apart, double p);

/// What `sojourn rtt --memory BYTES` chooses by itself.
Contender self_configured(std::size_t memory_bytes);
/// Our other tables, at their defaults.
Contender pooled_fridges(std::size_t memory_bytes);
Contender leased(std::size_t memory_bytes);

/// The results of one contender, a run for every seed.
struct Trials {
  std::vector<TrialErrors> each;
  std::vector<ShareCurve> curves;
};

/// Every contender over the trace with every seed, on all cores.
std::vector<Trials> try_all(
    const RequestTrace& trace, const std::vector<Contender>& contenders,
    const std::vector<std::uint64_t>& seeds,
    const std::function<void(double)>& progress = [](double) {});

inline TrialErrors median_of(const Trials& trials) { return median_of(trials.each); }

}  // namespace sojourn
