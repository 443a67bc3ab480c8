#include "pipeline/oneway/oneway_methods.h"

#include <array>

#include "oneway/exact/exact.h"
#include "oneway/lda/lda_method.h"
#include "oneway/marking/marking_method.h"
#include "oneway/rli/rli_method.h"
#include "pipeline/oneway/marking_hop.h"

namespace sojourn {
namespace {

using Refusal = std::optional<MethodRefusal>;

Refusal refuse_cnf(const OnewaySetup& setup) {
  const bool fine = setup.cnf.cache.active_timeout >= setup.cnf.cache.inactive_timeout;
  return fine ? Refusal{} : MethodRefusal::active_timeout_too_short;
}

template <RliEstimator estimator>
Refusal refuse_rli(const OnewaySetup& setup) {
  if (estimator == RliEstimator::queue_aware && setup.capacity_bytes_a_second == 0)
    return MethodRefusal::capacity_unknown;
  return setup.options.sampling == 1 ? Refusal{} : MethodRefusal::references_sampled;
}

Refusal refuse_trajectory(const OnewaySetup& setup) {
  return setup.options.sampling != 1 ? Refusal{} : MethodRefusal::trajectory_of_all_packets;
}

Refusal refuse_lda(const OnewaySetup& setup) {
  return setup.options.sampling == 1 ? Refusal{} : MethodRefusal::lda_sampled;
}

std::unexpected<Error> refused(MethodRefusal refusal) {
  return failure(std::string{reason_of(refusal)});
}

template <CnfEstimator estimator>
MadeMethod made_cnf(const OnewaySetup& setup) {
  if (const Refusal refusal = refuse_cnf(setup)) return refused(*refusal);
  CnfOptions cnf = setup.cnf;
  cnf.estimator = estimator;
  return make_cnf(setup.options, cnf);
}

template <RliEstimator estimator>
MadeMethod made_rli(const OnewaySetup& setup) {
  if (const Refusal refusal = refuse_rli<estimator>(setup)) return refused(*refusal);
  RliOptions options{.receiver = {}, .link_overhead = setup.link_overhead};
  options.receiver.estimator = estimator;
  options.receiver.capacity_bytes_a_second = setup.capacity_bytes_a_second;
  return make_rli(options);
}

MadeMethod made_exact(const OnewaySetup& setup) { return make_exact(setup.options); }

/// Sampled packets, matched one by one: what exact does with a sample.
MadeMethod made_trajectory(const OnewaySetup& setup) {
  if (const Refusal refusal = refuse_trajectory(setup)) return refused(*refusal);
  return make_exact(setup.options);
}

MadeMethod made_lda(const OnewaySetup& setup) {
  if (const Refusal refusal = refuse_lda(setup)) return refused(*refusal);
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

template <CnfEstimator estimator>
constexpr MethodChoice cnf(std::string_view name, std::string_view summary) {
  return {.name = name,
          .summary = summary,
          .make = made_cnf<estimator>,
          .joins_records = estimator,
          .refuse = refuse_cnf};
}

template <RliEstimator estimator>
constexpr MethodChoice rli(std::string_view name, std::string_view summary) {
  return {.name = name,
          .summary = summary,
          .make = made_rli<estimator>,
          .compares_no_packets = true,
          .reads_references = true,
          .refuse = refuse_rli<estimator>};
}

constexpr std::array all_methods = {
    MethodChoice{.name = "exact",
                 .summary = "every packet found again by its label",
                 .make = made_exact,
                 .samples_packets = true},
    cnf<CnfEstimator::endpoint>("endpoint",
                                "CNF: flow records, the mean of a flow's first and last packet"),
    cnf<CnfEstimator::multiflow>("multiflow",
                                 "CNF: ... and of all flows' end packets while it lasted"),
    cnf<CnfEstimator::hybrid>("hybrid", "CNF: endpoint up to 4 packets, multiflow above"),
    cnf<CnfEstimator::nearby>("nearby",
                              "CNF: multiflow with the nearest packets in time for flows of few"),
    MethodChoice{.name = "trajectory",
                 .summary = "sampled packets found again (needs sampling)",
                 .make = made_trajectory,
                 .samples_packets = true,
                 .refuse = refuse_trajectory},
    rli<RliEstimator::interpolate>("rli", "reference packets at the last point, interpolated"),
    rli<RliEstimator::left_only>("rli-l", "... only the one before each packet"),
    rli<RliEstimator::queue_aware>("rli-queue",
                                   "... and the idle times of the link (needs its capacity)"),
    MethodChoice{.name = "lda",
                 .summary = "all packets together, from two small sketches",
                 .make = made_lda,
                 .compares_no_packets = true,
                 .refuse = refuse_lda},
    MethodChoice{.name = "marking",
                 .summary = "alternate marking: loss and delay from a bit in the header",
                 .make = made_marking,
                 .reads_marks = true},
};

}  // namespace

std::string_view reason_of(MethodRefusal refusal) {
  switch (refusal) {
    case MethodRefusal::active_timeout_too_short:
      return "the active timeout must not be shorter than the inactive timeout";
    case MethodRefusal::references_sampled:
      return "methods with reference packets look at every packet: sampling must be 1";
    case MethodRefusal::capacity_unknown:
      return "method rli-queue needs the capacity of the link";
    case MethodRefusal::trajectory_of_all_packets:
      return "method trajectory needs sampling; with all packets it is exact";
    case MethodRefusal::lda_sampled:
      return "method lda samples by itself: sampling must be 1";
  }
  return {};
}

std::span<const MethodChoice> oneway_methods() { return all_methods; }

std::vector<std::string_view> oneway_method_names(bool (*which)(const MethodChoice&)) {
  std::vector<std::string_view> names;
  for (const MethodChoice& method : oneway_methods())
    if (which(method)) names.push_back(method.name);
  return names;
}

const MethodChoice* oneway_method_named(std::string_view name) {
  for (const MethodChoice& method : oneway_methods())
    if (method.name == name) return &method;
  return nullptr;
}

}  // namespace sojourn
