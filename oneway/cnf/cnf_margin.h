#pragma once
// The error of CNF's estimates: half of a nominal 95 % interval around a flow's mean delay.

#include <cstdint>
#include <optional>
#include <span>

#include "oneway/cnf/association.h"
#include "oneway/cnf/delay_series.h"
#include "oneway/cnf/flow_record.h"
#include "oneway/cnf/moment.h"

namespace sojourn {

/// Student's factor for 95 % with this many degrees of freedom, at least one; 1.96 for many.
double student_factor(double degrees);

/// Multiflow uses the mean of delays of any flow for the flow's packets.  Neither these nor the
/// flow's packets are independent: trains share a queue, so both are counted in moments
/// (cnf/moment.h), n of the series' and k of the flow's:
///
///     e^2 = s^2 (1/n + 1/k)
///
/// s is the deviation of the delays in the time that the flow may have lasted, and of at least
/// `neighbours` of them, eight moments long: a few delays between two close selected packets say
/// little about the rest.  Slow drift of the delay does not matter, since the flow's moments are
/// compared with the time in which they occur.
class CnfMargins {
 public:
  static constexpr std::size_t neighbours = 64;
  static constexpr Duration least_reach{std::int64_t{4} << moment_shift};  ///< to either side

  /// `sampling`: share of a flow's packets that were selected.
  CnfMargins(const DelaySeries& series, std::span<const AssociatedFlow> flows,
             std::span<const FlowRecord> first, double sampling);

  /// nullopt if the deviation is unknown.
  std::optional<double> multiflow_ns(const FlowRecord& record, std::uint64_t known) const;
  /// `known` of the flow's packets have their own delays, and only the rest is estimated.
  std::optional<double> nearby_ns(const FlowRecord& record, std::uint64_t known) const;
  /// Two delays cannot show their own error, unless they are all that the flow has.
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
  Duration usual_length_{};  ///< median, of flows with at least two selected packets
};

}  // namespace sojourn
