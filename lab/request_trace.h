#pragma once
// Requests and responses in memory with known delays, with the statistics that the round-trip
// papers state for their traces.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/border_shares.h"

namespace sojourn {

struct TraceEvent {
  std::int64_t ns;   ///< since the start of the trace
  std::uint32_t id;  ///< the request's; a response that answers nothing has one that no request has
  bool is_request;
};

/// What a measurement point sees, and what it should find.
struct RequestTrace {
  std::vector<TraceEvent> events;       ///< in order of time
  std::vector<std::int64_t> delays_ns;  ///< of all pairs, sorted: the truth
  std::size_t requests = 0;

  /// As in Distribution: linear between the samples, delays[i] at q = i / (n - 1).
  double quantile_ns(double q) const;
  std::size_t responses() const { return events.size() - requests; }
  double seconds() const;
};

/// The synthetic trace of FRIDGE section 5: requests at a constant 10^6 a second, 40 % of them
/// answered, delays log-uniform up to 2^octaves ms.
///
/// "Log-uniform between 0 and T" has no density at 0; we read it as log2(delay / 1 ms) uniform in
/// (0, octaves).  The paper's 1 250 000 requests give its 0.5 million samples, but last only 1.25
/// s, less than the longest delay of 4.1 s: after the last request nothing more is lost.  A longer
/// trace shows the steady state; responses later than the last request are then left out.
struct LogUniformTrace {
  std::size_t requests = 1'250'000;
  double rate = 1e6;
  double answered = 0.4;
  int octaves = 12;
  bool ends_with_last_request = false;
};
RequestTrace make_trace(const LogUniformTrace& model, std::uint64_t seed);

/// Like the border link of FRIDGE section 5: 10 million packets in 11.4 s, 61 % of them requests,
/// 13 % of which are answered; mean delay 57.8 ms, p99 near 2^9 ms.
///
/// Delays are a mixture of log-normals: 40 % near by (median 4 ms, sigma 0.8), 45 % across the
/// continent (35.5 ms, 0.5), 15 % slow (217 ms, 0.588).  Mean: 0.4 * 5.5 + 0.45 * 40.2 + 0.15 * 258
/// = 59.0 ms, of which 2 % are lost because answers after the end are not seen, and slow pairs lose
/// more of them.  The slow part alone reaches its 93.3rd percentile, the whole's 99th, at 217
/// exp(1.5 * 0.588) = 524 ms, 513 ms with the end. Requests come as a Poisson process.  Responses
/// that answer nothing (repeated ACK numbers, scans) make up the 39 %: a table must not take them
/// for answers.
struct BorderLinkTrace {
  double seconds = border::seconds;
  double rate = border::requests_a_second;
  double answered = border::answered;
  double responses_per_request = border::responses_per_request;  ///< answers among them
  /// Ours, for load that comes with delay: in the first fifth of every second (L4).
  double burst_rate = 1;
  double burst_delay = 1;
};
RequestTrace make_trace(const BorderLinkTrace& model, std::uint64_t seed);

}  // namespace sojourn
