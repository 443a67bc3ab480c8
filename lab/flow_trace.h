#pragma once
// Traces whose requests belong to flows, as in the round-trip papers.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/border_shares.h"
#include "lab/request_trace.h"

namespace sojourn {

struct FlowTrace {
  RequestTrace trace;
  std::vector<std::uint32_t> flow_of_request;  ///< by id
};

/// Like the campus trace of STAGED section 3.1: a million TCP packets in 1.10 s, 600 000 of them
/// outgoing, of 11 085 flows; 71 000 RTT samples, median 44 ms, p99 500 ms.
///
/// The median packet is of full size, so nearly every outgoing one carries data; we treat all of
/// them as requests, which is the maximum load for a table.  Flow sizes fall as 1/rank (Zipf).  A
/// flow has its own RTT and its packets vary around it.  The delays are then mapped by their ranks
/// to a log-normal with exactly the stated median and p99, so that both the flows' correlation and
/// the statistics hold.  An answered packet is sent early enough for its answer to be within the
/// trace.
struct CampusTrace {
  std::size_t requests = 600'000;
  std::size_t responses = 400'000;
  std::size_t pairs = 71'000;
  std::size_t flows = 11'085;
  double seconds = 1.10;
  double median_ms = 44;
  double p99_ms = 500;
};
FlowTrace make_trace(const CampusTrace& model, std::uint64_t seed);

/// Like the border link of FRIDGE section 5: the statistics of BorderLinkTrace, but sent as by TCP.
///
/// FRIDGE states no number of flows, so we take STAGED's: 11 085 are seen in 1.10 s, on a link with
/// nearly the same rate.  A fifth of them are single SYNs of scanners.  The others have Pareto
/// sizes with index 1.5 and their own round-trip time, around which their pairs vary by 5 %.  A
/// flow sends ten segments (RFC 6928), twice as many one round trip later and so on up to 64, each
/// time as a train at a rate between 100 Mbit/s and 10 Gbit/s.  For 41 in 61 segments the flow is
/// seen in both directions (as in BorderMix), and every fifth of those is answered: receivers
/// acknowledge every second segment or fewer.
///
/// Why trains matter: a staged table fills up as soon as its entries have expired, and is then full
/// until the next expiry.  So its samples come from a few milliseconds of each period, the same
/// ones for any hash, and few flows send in so short a time.  With independent requests that is as
/// good as any other sample.
struct BorderFlowsTrace {
  double seconds = border::seconds;
  double rate = border::requests_a_second;
  double answered = border::answered;
  double responses_per_request = border::responses_per_request;  ///< answers among them
  double flows_a_second = 9'000;  ///< that begin; 11 085 are then seen in 1.10 s
};
FlowTrace make_trace(const BorderFlowsTrace& model, std::uint64_t seed);

}  // namespace sojourn
