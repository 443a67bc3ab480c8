#pragma once
// How far CNF's estimates may be off: half of a nominal 95 % interval around a flow's mean delay.

#include <cstdint>
#include <optional>
#include <span>

#include "oneway/cnf/association.h"
#include "oneway/cnf/delay_series.h"
#include "oneway/cnf/flow_record.h"
#include "oneway/cnf/moment.h"

namespace sojourn {

/// Student's factor for 95 % with so many degrees of freedom, at least one; 1.96 for many.
double student_factor(double degrees);

/// Multiflow takes the mean of delays of any flow for that of the flow's packets.  Neither these
/// nor the flow's packets are independent: trains share a queue, so both are counted in moments
/// (cnf/moment.h), n of the series' and k of the flow's:
///
///     e^2 = s^2 (1/n + 1/k)
///
/// s is the deviation of the delays in the time that the flow may have lasted, and of at least
/// `neighbours` of them, eight moments long: the few between two selected packets that are close
/// together know little of the rest.  Whether delays wander slowly does not matter, since the
/// flow's moments are compared with the very time in which they lie.
class CnfMargins {
 public:
  static constexpr std::size_t neighbours = 64;
  static constexpr Duration least_reach{std::int64_t{4} << moment_shift};  ///< to either side

  /// `sampling`: share of a flow's packets that were selected.
  CnfMargins(const DelaySeries& series, std::span<const AssociatedFlow> flows,
             std::span<const FlowRecord> first, double sampling);

  /// nullopt where the deviation cannot be known.
  std::optional<double> multiflow_ns(const FlowRecord& record, std::uint64_t known) const;
  /// `known` of the flow's packets have their own delays, and only the rest is estimated.
  std::optional<double> nearby_ns(const FlowRecord& record, std::uint64_t known) const;
  /// Two delays say nothing of their own error, unless they are all that the flow has.
  std::optional<double> endpoint_ns(const FlowRecord& record, std::uint64_t known) const;

 private:
  double packets_of(const FlowRecord& record) const {
    return static_cast<double>(record.packets) / sampling_;
  }
  Duration reach_beyond(const FlowRecord& record) const;
  std::optional<double> margin_ns(const FlowRecord& record, double series_moments,
                                  double flow_moments) const;

  const DelaySeries* series_;
  double sampling_;
  Duration usual_length_{};  ///< of flows of which two packets or more were selected, the median
};

}  // namespace sojourn
