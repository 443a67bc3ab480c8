#include "lab/request_trace.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lab/random.h"
#include "lab/trace_parts.h"

namespace sojourn {

double RequestTrace::quantile_ns(double q) const {
  if (delays_ns.empty()) return 0;
  const double rank = q * static_cast<double>(delays_ns.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(rank), delays_ns.size() - 1);
  const auto above = std::min(below + 1, delays_ns.size() - 1);
  return std::lerp(static_cast<double>(delays_ns[below]), static_cast<double>(delays_ns[above]),
                   rank - std::floor(rank));
}

double RequestTrace::seconds() const {
  return events.empty() ? 0 : static_cast<double>(events.back().ns) * 1e-9;
}

RequestTrace make_trace(const LogUniformTrace& model, std::uint64_t seed) {
  Random random{seed};
  std::vector<TraceEvent> requests, responses;
  std::vector<std::int64_t> delays_ns;
  requests.reserve(model.requests);
  const std::int64_t end_ns = from_seconds(static_cast<double>(model.requests) / model.rate);
  for (std::uint32_t id = 0; id < model.requests; ++id) {
    const std::int64_t sent_ns = from_seconds(id / model.rate);
    requests.push_back({sent_ns, id, true});
    if (!random.chance(model.answered)) continue;
    const std::int64_t delay_ns = from_seconds(0.001 * std::exp2(model.octaves * random.uniform()));
    if (model.ends_with_last_request && sent_ns + delay_ns > end_ns) continue;
    responses.push_back({sent_ns + delay_ns, id, false});
    delays_ns.push_back(delay_ns);
  }
  return join(std::move(requests), std::move(responses), std::move(delays_ns));
}

RequestTrace make_trace(const BorderLinkTrace& model, std::uint64_t seed) {
  Random random{seed};
  std::vector<TraceEvent> requests, responses;
  std::vector<std::int64_t> delays_ns;
  const double orphans = model.responses_per_request - model.answered;
  const std::int64_t end_ns = from_seconds(model.seconds);
  std::uint32_t orphan_id = 0xffff'ffff;
  double now = 0;
  for (std::uint32_t id = 0;; ++id) {
    const bool burst = std::fmod(now, 1.0) < 0.2;
    now += random.exponential(1 / (model.rate * (burst ? model.burst_rate : 1)));
    const std::int64_t sent_ns = from_seconds(now);
    if (sent_ns >= end_ns) break;
    requests.push_back({sent_ns, id, true});
    if (random.chance(orphans)) responses.push_back({sent_ns, orphan_id--, false});
    if (!random.chance(model.answered)) continue;
    const double delay_s =
        border_delay_s(random, random.uniform()) * (burst ? model.burst_delay : 1);
    const std::int64_t delay_ns = std::max<std::int64_t>(from_seconds(delay_s), 1);
    if (sent_ns + delay_ns >= end_ns) continue;
    responses.push_back({sent_ns + delay_ns, id, false});
    delays_ns.push_back(delay_ns);
  }
  return join(std::move(requests), std::move(responses), std::move(delays_ns));
}

}  // namespace sojourn
