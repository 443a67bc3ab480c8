#include "apps/oneway_methods.h"

#include <array>

#include "apps/oneway_estimates.h"
#include "oneway/exact/exact.h"

namespace sojourn {

std::span<const MethodChoice> oneway_methods() {
  static constexpr std::array all = {
      MethodChoice{"exact", "every packet found again by its label",
                   [](const OnewayRequest& request) -> Result<std::unique_ptr<OnewayMethod>> {
                     return make_exact(request.options);
                   },
                   true},
      MethodChoice{"endpoint", "CNF: flow records, the mean of a flow's first and last packet",
                   make_endpoint_method, false, CnfEstimator::endpoint},
      MethodChoice{"multiflow", "CNF: ... and of all flows' end packets while it lasted",
                   make_multiflow_method, false, CnfEstimator::multiflow},
      MethodChoice{"hybrid", "CNF: endpoint up to 4 packets, multiflow above", make_hybrid_method,
                   false, CnfEstimator::hybrid},
      MethodChoice{"nearby", "CNF: multiflow with the nearest packets in time for flows of few",
                   make_nearby_method, false, CnfEstimator::nearby},
      MethodChoice{"trajectory", "sampled packets found again (needs --sampling)",
                   make_trajectory_method, true},
      MethodChoice{
          "rli", "reference packets in LAST, interpolated", make_rli_method, false, {}, true},
      MethodChoice{
          "rli-l", "... only the one before each packet", make_rli_left_method, false, {}, true},
      MethodChoice{"rli-queue",
                   "... and the idle times of the link (needs --capacity)",
                   make_rli_queue_method,
                   false,
                   {},
                   true},
      MethodChoice{
          "lda", "all packets together, from two small sketches", make_lda_method, false, {}, true},
      MethodChoice{"marking",
                   "alternate marking: loss and delay from a bit in the header (see sojourn mark)",
                   make_marking_method},
  };
  return all;
}

const MethodChoice* oneway_method_named(std::string_view name) {
  for (const MethodChoice& method : oneway_methods())
    if (method.name == name) return &method;
  return nullptr;
}

std::span<const MethodOptionGroup> oneway_option_groups() {
  static constexpr std::array all = {
      MethodOptionGroup{"endpoint,multiflow,hybrid,nearby", add_cnf_options},
      MethodOptionGroup{"rli,rli-l,rli-queue", add_rli_options},
      MethodOptionGroup{"marking", add_marking_options},
  };
  return all;
}

}  // namespace sojourn
