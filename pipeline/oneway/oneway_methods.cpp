#include "pipeline/oneway/oneway_methods.h"

#include <array>

#include "oneway/exact/exact.h"
#include "oneway/lda/lda_method.h"
#include "oneway/marking/marking_method.h"
#include "oneway/rli/rli_method.h"
#include "pipeline/oneway/marking_hop.h"

namespace sojourn {
namespace {

template <CnfEstimator estimator>
MadeMethod made_cnf(const OnewaySetup& setup) {
  CnfOptions cnf = setup.cnf;
  cnf.estimator = estimator;
  if (cnf.cache.active_timeout < cnf.cache.inactive_timeout)
    return failure("the active timeout must not be shorter than the inactive timeout");
  return make_cnf(setup.options, cnf);
}

template <RliEstimator estimator>
MadeMethod made_rli(const OnewaySetup& setup) {
  if (setup.options.sampling != 1)
    return failure("methods with reference packets look at every packet: sampling must be 1");
  if (estimator == RliEstimator::queue_aware && setup.capacity_bytes_a_second == 0)
    return failure("method rli-queue needs the capacity of the link");
  RliOptions options{.receiver = {}, .link_overhead = setup.link_overhead};
  options.receiver.estimator = estimator;
  options.receiver.capacity_bytes_a_second = setup.capacity_bytes_a_second;
  return make_rli(options);
}

MadeMethod made_exact(const OnewaySetup& setup) { return make_exact(setup.options); }

/// Sampled packets, matched one by one: what exact does with a sample.
MadeMethod made_trajectory(const OnewaySetup& setup) {
  if (setup.options.sampling == 1)
    return failure("method trajectory needs sampling; with all packets it is exact");
  return make_exact(setup.options);
}

MadeMethod made_lda(const OnewaySetup& setup) {
  if (setup.options.sampling != 1)
    return failure("method lda samples by itself: sampling must be 1");
  return make_lda(setup.options);
}

MadeMethod made_marking(const OnewaySetup& setup) {
  MarkingSetup marking = setup.marking;
  marking.seed = setup.options.seed;
  return make_marking(
      marking, setup.clock_error.value_or(Duration{}), setup.via,
      [marking, open = setup.open_via](const std::string& name) {
        return read_marking_hop(marking, open(name));
      },
      setup.segments);
}

constexpr std::array all_methods = {
    MethodChoice{"exact", "every packet found again by its label", made_exact, true},
    MethodChoice{"endpoint", "CNF: flow records, the mean of a flow's first and last packet",
                 made_cnf<CnfEstimator::endpoint>, false, CnfEstimator::endpoint},
    MethodChoice{"multiflow", "CNF: ... and of all flows' end packets while it lasted",
                 made_cnf<CnfEstimator::multiflow>, false, CnfEstimator::multiflow},
    MethodChoice{"hybrid", "CNF: endpoint up to 4 packets, multiflow above",
                 made_cnf<CnfEstimator::hybrid>, false, CnfEstimator::hybrid},
    MethodChoice{"nearby", "CNF: multiflow with the nearest packets in time for flows of few",
                 made_cnf<CnfEstimator::nearby>, false, CnfEstimator::nearby},
    MethodChoice{"trajectory", "sampled packets found again (needs sampling)", made_trajectory,
                 true},
    MethodChoice{"rli",
                 "reference packets at the last point, interpolated",
                 made_rli<RliEstimator::interpolate>,
                 false,
                 {},
                 true},
    MethodChoice{"rli-l",
                 "... only the one before each packet",
                 made_rli<RliEstimator::left_only>,
                 false,
                 {},
                 true},
    MethodChoice{"rli-queue",
                 "... and the idle times of the link (needs its capacity)",
                 made_rli<RliEstimator::queue_aware>,
                 false,
                 {},
                 true},
    MethodChoice{"lda", "all packets together, from two small sketches", made_lda, false, {}, true},
    MethodChoice{"marking", "alternate marking: loss and delay from a bit in the header",
                 made_marking},
};

}  // namespace

std::span<const MethodChoice> oneway_methods() { return all_methods; }

const MethodChoice* oneway_method_named(std::string_view name) {
  for (const MethodChoice& method : oneway_methods())
    if (method.name == name) return &method;
  return nullptr;
}

}  // namespace sojourn
