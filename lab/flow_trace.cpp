#include "lab/flow_trace.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "lab/random.h"
#include "lab/trace_parts.h"

namespace sojourn {
namespace {

/// The quantile q in (0, 1) of the standard normal distribution, by bisection of erfc.
double normal_quantile(double q) {
  double low = -40, high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::numbers::sqrt2) < q ? low : high) = middle;
  }
  return (low + high) / 2;
}

struct Sent {
  std::int64_t ns;
  std::uint32_t flow;
  std::int64_t delay_ns;  ///< 0: not answered
};

/// Answers after the end are not seen.  Others that answer nothing, at random times, make up the
/// number of responses.
FlowTrace joined(std::vector<Sent>&& packets, std::size_t response_count, std::int64_t end_ns,
                 Random& random) {
  std::ranges::sort(packets, {},
                    [](const Sent& packet) { return std::pair{packet.ns, packet.flow}; });
  FlowTrace made;
  std::vector<TraceEvent> requests, responses;
  std::vector<std::int64_t> delays_ns;
  requests.reserve(packets.size());
  made.flow_of_request.reserve(packets.size());
  for (std::uint32_t id = 0; id < packets.size(); ++id) {
    requests.push_back({packets[id].ns, id, true});
    made.flow_of_request.push_back(packets[id].flow);
    if (packets[id].delay_ns <= 0 || packets[id].ns + packets[id].delay_ns >= end_ns) continue;
    responses.push_back({packets[id].ns + packets[id].delay_ns, id, false});
    delays_ns.push_back(packets[id].delay_ns);
  }
  std::uint32_t orphan_id = 0xffff'ffff;
  while (responses.size() < response_count)
    responses.push_back({static_cast<std::int64_t>(random.uniform() * static_cast<double>(end_ns)),
                         orphan_id--, false});
  made.trace = join(std::move(requests), std::move(responses), std::move(delays_ns));
  return made;
}

// Of BorderFlowsTrace; see there.
constexpr double seen_both_ways =
    border::data_both_ways / (border::data_both_ways + border::data_only);
constexpr double size_index = 1.5, largest_size = 100;  // times the mean
constexpr double first_window = 10, most_in_flight = 64;
constexpr double least_gap_s = 1.2e-6,
                 gap_range = 100;  // 1500 bytes at 10 Gbit/s, and at 100 Mbit/s
constexpr double warm_up_s = 20;   // for flows already active when the trace begins

/// The minimum of a Pareto distribution that is cut at largest_size times its mean.
double least_size(double mean) {
  const double uncut = size_index / (size_index - 1);  // mean by least, were it not cut
  // E min(X, c) = least (uncut - (least / c)^(index - 1) / (index - 1)), and least / c is near 1 /
  // (uncut largest_size)
  return mean / (uncut - std::pow(uncut * largest_size, 1 - size_index) / (size_index - 1));
}

}  // namespace

FlowTrace make_trace(const CampusTrace& model, std::uint64_t seed) {
  Random random{seed};
  // Zipf: the flow of rank r has a share ln(1 + 1/r) / ln(1 + flows), and every flow has a packet.
  const auto pick_flow = [&] {
    const double rank = std::exp(random.uniform() * std::log(static_cast<double>(model.flows) + 1));
    return std::min(static_cast<std::uint32_t>(rank) - 1,
                    static_cast<std::uint32_t>(model.flows) - 1);
  };
  std::vector<double> flow_level(model.flows);
  for (double& level : flow_level) level = random.normal(0, 1);

  std::vector<Sent> packets(model.requests);
  std::vector<std::pair<double, std::size_t>> levels;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    packets[i].flow = i < model.flows ? static_cast<std::uint32_t>(i) : pick_flow();
    if (i >= packets.size() - model.pairs)
      levels.emplace_back(flow_level[packets[i].flow] + 0.3 * random.normal(0, 1), i);
  }
  // The i-th smallest level becomes the i-th of `pairs` equally likely delays.
  std::ranges::sort(levels);
  const double sigma = std::log(model.p99_ms / model.median_ms) / normal_quantile(0.99);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double q = (static_cast<double>(i) + 0.5) / static_cast<double>(levels.size());
    // A request cannot be answered if its delay exceeds the trace.
    const double delay_s = std::min(1e-3 * model.median_ms * std::exp(sigma * normal_quantile(q)),
                                    0.99 * model.seconds);
    packets[levels[i].second].delay_ns = from_seconds(delay_s);
  }
  const std::int64_t end_ns = from_seconds(model.seconds);
  for (Sent& packet : packets)
    packet.ns =
        static_cast<std::int64_t>(random.uniform() * static_cast<double>(end_ns - packet.delay_ns));
  return joined(std::move(packets), model.responses, end_ns, random);
}

FlowTrace make_trace(const BorderFlowsTrace& model, std::uint64_t seed) {
  Random random{seed};
  std::vector<Sent> packets;
  packets.reserve(static_cast<std::size_t>(1.05 * model.rate * model.seconds));
  const double least = least_size((model.rate / model.flows_a_second - border::scanning_flows) /
                                  (1 - border::scanning_flows));
  const double answered = model.answered / seen_both_ways;
  std::uint32_t flow = 0;
  for (double begin_s = -warm_up_s; begin_s < model.seconds;
       begin_s += random.exponential(1 / model.flows_a_second)) {
    ++flow;
    if (random.chance(border::scanning_flows)) {
      if (begin_s >= 0) packets.push_back({from_seconds(begin_s), flow, 0});
      continue;
    }
    // Evenly spaced over near, far and slow: the shares hold although few flows have most of the
    // packets.
    const double round_trip_s = border_delay_s(random, std::fmod(flow * std::numbers::phi, 1.0));
    const double pareto = least * std::pow(1 - random.uniform(), -1 / size_index);
    const double gap_s = least_gap_s * std::pow(gap_range, random.uniform());
    const bool both_ways = random.chance(seen_both_ways);
    double left =
        std::round(std::min(pareto, least * largest_size * size_index / (size_index - 1)));
    double window = first_window;
    for (double train_s = begin_s; left > 0 && train_s < model.seconds;) {
      const double count = std::min(left, window);
      for (double i = 0; i < count && train_s + count * gap_s > 0; ++i) {
        const double sent_s = train_s + i * gap_s;
        if (sent_s < 0 || sent_s >= model.seconds) continue;
        const bool is_answered = both_ways && random.chance(answered);
        const double delay_s =
            is_answered ? round_trip_s * (1 + random.uniform(-border::jitter, border::jitter)) : 0;
        packets.push_back({from_seconds(sent_s), flow, from_seconds(delay_s)});
      }
      left -= count;
      window = std::min(2 * window, most_in_flight);
      train_s += std::max(round_trip_s, count * gap_s);
    }
  }
  const auto responses =
      static_cast<std::size_t>(model.responses_per_request * static_cast<double>(packets.size()));
  return joined(std::move(packets), responses, from_seconds(model.seconds), random);
}

}  // namespace sojourn
