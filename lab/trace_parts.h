#pragma once
// Common parts of the trace generators.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "lab/random.h"
#include "lab/request_trace.h"

namespace sojourn {

inline std::int64_t from_seconds(double seconds) {
  return static_cast<std::int64_t>(std::llround(seconds * 1e9));
}

inline bool comes_first(const TraceEvent& left, const TraceEvent& right) {
  // A total order: every library sorts in the same way, and a request comes before its response.
  if (left.ns != right.ns) return left.ns < right.ns;
  if (left.is_request != right.is_request) return left.is_request;
  return left.id < right.id;
}

/// Requests in order of time and responses in any order become one trace.
inline RequestTrace join(std::vector<TraceEvent>&& requests, std::vector<TraceEvent>&& responses,
                         std::vector<std::int64_t>&& delays_ns) {
  RequestTrace trace;
  trace.requests = requests.size();
  std::ranges::sort(responses, comes_first);
  trace.events.resize(requests.size() + responses.size());
  std::ranges::merge(requests, responses, trace.events.begin(), comes_first);
  trace.delays_ns = std::move(delays_ns);
  std::ranges::sort(trace.delays_ns);
  return trace;
}

/// FRIDGE section 5 (see BorderLinkTrace).  `part`, from 0 to 1, selects near, far or slow.
inline double border_delay_s(Random& random, double part) {
  if (part < 0.40) return random.lognormal(0.004, 0.8);
  if (part < 0.85) return random.lognormal(0.0355, 0.5);
  return random.lognormal(0.217, 0.588);
}

}  // namespace sojourn
