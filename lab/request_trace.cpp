#include "lab/request_trace.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "lab/random.h"

namespace sojourn {
namespace {

std::int64_t from_seconds(double seconds) { return static_cast<std::int64_t>(std::llround(seconds * 1e9)); }

bool comes_first(const TraceEvent& left, const TraceEvent& right) {
  // A total order: every library sorts alike, and a request comes before its answer.
  if (left.ns != right.ns) return left.ns < right.ns;
  if (left.is_request != right.is_request) return left.is_request;
  return left.id < right.id;
}

/// Requests in order of time and responses in any order become one trace.
RequestTrace join(std::vector<TraceEvent>&& requests, std::vector<TraceEvent>&& responses,
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

double border_delay_s(Random& random) {
  const double part = random.uniform();
  if (part < 0.40) return random.lognormal(0.004, 0.8);
  if (part < 0.85) return random.lognormal(0.0355, 0.5);
  return random.lognormal(0.217, 0.588);
}

/// Where the standard normal distribution reaches q in (0, 1), by bisection of erfc.
double normal_quantile(double q) {
  double low = -40, high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::numbers::sqrt2) < q ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double RequestTrace::quantile_ns(double q) const {
  if (delays_ns.empty()) return 0;
  const double rank = q * static_cast<double>(delays_ns.size()) - 1;
  if (rank <= 0) return static_cast<double>(delays_ns.front());
  const auto below = std::min(static_cast<std::size_t>(rank), delays_ns.size() - 1);
  const auto above = std::min(below + 1, delays_ns.size() - 1);
  return std::lerp(static_cast<double>(delays_ns[below]), static_cast<double>(delays_ns[above]),
                   rank - std::floor(rank));
}

double RequestTrace::mean_delay_ns() const {
  if (delays_ns.empty()) return 0;
  double sum = 0;
  for (const std::int64_t delay : delays_ns) sum += static_cast<double>(delay);
  return sum / static_cast<double>(delays_ns.size());
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
    const double delay_s = border_delay_s(random) * (burst ? model.burst_delay : 1);
    const std::int64_t delay_ns = std::max<std::int64_t>(from_seconds(delay_s), 1);
    if (sent_ns + delay_ns >= end_ns) continue;
    responses.push_back({sent_ns + delay_ns, id, false});
    delays_ns.push_back(delay_ns);
  }
  return join(std::move(requests), std::move(responses), std::move(delays_ns));
}

CampusPackets make_trace(const CampusTrace& model, std::uint64_t seed) {
  Random random{seed};
  // Zipf: the flow of rank r has a share ln(1 + 1/r) / ln(1 + flows), and every flow has a packet.
  const auto pick_flow = [&] {
    const double rank = std::exp(random.uniform() * std::log(static_cast<double>(model.flows) + 1));
    return std::min(static_cast<std::uint32_t>(rank) - 1, static_cast<std::uint32_t>(model.flows) - 1);
  };
  std::vector<double> flow_level(model.flows);
  for (double& level : flow_level) level = random.normal(0, 1);

  struct Packet {
    std::int64_t ns;
    std::uint32_t flow;
    std::int64_t delay_ns;  ///< 0: not answered
  };
  std::vector<Packet> packets(model.requests);
  std::vector<std::pair<double, std::size_t>> levels;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    packets[i].flow = i < model.flows ? static_cast<std::uint32_t>(i) : pick_flow();
    if (i >= packets.size() - model.pairs)
      levels.emplace_back(flow_level[packets[i].flow] + 0.3 * random.normal(0, 1), i);
  }
  // The i-th smallest level becomes the i-th of `pairs` equally likely delays.
  std::ranges::sort(levels);
  const double sigma = std::log(model.p99_ms / model.median_ms) / normal_quantile(0.99);
  std::vector<std::int64_t> delays_ns;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double q = (static_cast<double>(i) + 0.5) / static_cast<double>(levels.size());
    // Nothing can be answered that takes longer than the trace lasts.
    const double delay_s =
        std::min(1e-3 * model.median_ms * std::exp(sigma * normal_quantile(q)), 0.99 * model.seconds);
    packets[levels[i].second].delay_ns = from_seconds(delay_s);
    delays_ns.push_back(from_seconds(delay_s));
  }
  const std::int64_t end_ns = from_seconds(model.seconds);
  for (Packet& packet : packets)
    packet.ns = static_cast<std::int64_t>(random.uniform() * static_cast<double>(end_ns - packet.delay_ns));
  std::ranges::sort(packets, {}, [](const Packet& packet) { return std::pair{packet.ns, packet.flow}; });

  CampusPackets made;
  std::vector<TraceEvent> requests, responses;
  for (std::uint32_t id = 0; id < packets.size(); ++id) {
    requests.push_back({packets[id].ns, id, true});
    made.flow_of_request.push_back(packets[id].flow);
    if (packets[id].delay_ns > 0) responses.push_back({packets[id].ns + packets[id].delay_ns, id, false});
  }
  std::uint32_t orphan_id = 0xffff'ffff;
  while (responses.size() < model.responses)
    responses.push_back({static_cast<std::int64_t>(random.uniform() * static_cast<double>(end_ns)), orphan_id--, false});
  made.trace = join(std::move(requests), std::move(responses), std::move(delays_ns));
  return made;
}

}  // namespace sojourn
