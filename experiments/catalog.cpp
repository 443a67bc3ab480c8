#include "experiments/oneway/l9_marking.h"
#include "experiments/oneway/oneway_experiments.h"
#include "experiments/report/experiment.h"
#include "experiments/roundtrip/round_trip_experiments.h"

namespace sojourn {

std::span<const Experiment> experiments() {
  static constexpr Experiment all[] = {
      {"l1", "FRIDGE Fig. 3", "which entry probability is best for a fridge", run_l1},
      {"l2", "FRIDGE Fig. 2, 5",
       "all tables at equal memory, the papers' tuned by hand and ours by itself", run_l2},
      {"l3", "STAGED Fig. 5, 6",
       "the share of samples that a staged table finds, by size and stages", run_l3},
      {"l4", "STAGED, FRIDGE", "who is unbiased when delay rises with load", run_l4},
      {"l5", "CNF Table II",
       "flow records of two points that can be associated, by label and by timing", run_l5},
      {"l6", "CNF Fig. 3 to 13", "a flow's delay from the end packets of all flows", run_l6},
      {"l7", "RLI Fig. 5 to 13", "a flow's delay from reference packets, by load and injection",
       run_l7},
      {"l8", "RLI Fig. 12", "the delay of all packets together: LDA and RLI, as loss rises",
       run_l8},
      {"l9", "MARKING Fig. 6, 7",
       "alternate marking: loss and delay from one bit, and when to distrust it", run_l9},
      {"intervals", "our own",
       "how often intervals of round trips hold the truth, and --expect is wrong", run_intervals},
      {"margins", "our own", "how often the margins of one-way delays hold the truth", run_margins},
      {"scale", "our own", "what points, collectors and stores need as a network grows", run_scale},
  };
  return all;
}

}  // namespace sojourn
