#include "lab/border_mix.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lab/border_shares.h"
#include "lab/delay_mixture.h"

namespace sojourn {
namespace {

constexpr std::uint32_t full_payload = 1460;

// A burst's ACK comes on top of its segments.
constexpr double segments_a_burst = 5.1;  // 0.41 / 0.61 / 5.1 = 13 % of the requests are answered
constexpr double lone_segments = 0.02;    // share of the bursts
constexpr double delayed_ack_ns = 40e6;
// ACKs that are delayed, or held back to keep their order, bring the mean back to the papers'.
constexpr double without_waiting = 0.975;

Timestamp time_at(double ns) { return lab_epoch + Duration{std::llround(ns)}; }

}  // namespace

BorderMix::BorderMix(const BorderMixOptions& options)
    : options_(options), random_(options.seed), builder_(options.snap_length) {
  // A quarter of the flows is under way at any time.
  const double talking = (1 - border::scanning_flows) * static_cast<double>(options.flows) / 4;
  const auto fill = [&](std::vector<Flow>& pool, double share) {
    const auto count = static_cast<std::size_t>(std::max(1.0, std::round(talking * share)));
    for (std::size_t i = 0; i < count; ++i) pool.push_back(new_flow());
  };
  fill(both_ways_, border::data_both_ways / 0.92);
  fill(data_only_, border::data_only / 0.92);
  fill(acks_only_, border::acks_only / 0.92);
}

/// Sizes are Pareto with index 1.5: few flows have most of the packets.
BorderMix::Flow BorderMix::new_flow() {
  const double mean = std::max(
      2.0, static_cast<double>(options_.packets) * 0.92 /
               ((1 - border::scanning_flows) * static_cast<double>(options_.flows) * 0.75));
  const double size = mean / 3 / std::pow(1 - random_.uniform(), 1 / 1.5);
  const double place = std::fmod(static_cast<double>(flows_) * std::numbers::phi, 1.0);
  return {.number = flows_++,
          .left = static_cast<std::uint64_t>(std::min(size + 1, mean * 100)),
          .sequence = static_cast<std::uint32_t>(random_.bits()),
          .round_trip_ns = without_waiting * draw_delay_ns(random_, place),
          .last_ack_ns = 0};
}

BorderMix::Flow& BorderMix::any(std::vector<Flow>& pool) {
  return pool[random_.below(pool.size())];
}

void BorderMix::spend(Flow& flow, std::uint64_t packets) {
  if (flow.left > packets)
    flow.left -= packets;
  else
    flow = new_flow();
}

void BorderMix::plan(double ns, std::uint64_t flow, const LabSegment& segment, double asked_ns) {
  pending_.push({ns, planned_++, flow, segment, asked_ns});
}

void BorderMix::plan_burst() {
  Flow& flow = any(both_ways_);
  const bool lone = random_.chance(lone_segments);
  // Two and more, by the rule that every second full segment is acknowledged (RFC 5681
  // section 4.2).
  const std::uint64_t count =
      lone ? 1 : 2 + static_cast<std::uint64_t>(random_.exponential(segments_a_burst - 1.55));
  double sent = now_ns_;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i > 0) sent += random_.uniform(2e3, 12e3);
    const std::uint32_t payload = lone ? 400 : full_payload;
    plan(sent, flow.number,
         {.flags = ack_flag | push_flag,
          .sequence = flow.sequence,
          .acknowledgment = 1,
          .payload = payload},
         -1);
    flow.sequence += payload;
  }
  const double waited =
      flow.round_trip_ns * (1 + random_.uniform(-border::jitter, border::jitter)) +
      (lone ? delayed_ack_ns : 0);
  flow.last_ack_ns = std::max(sent + std::min(waited, longest_delay_ns), flow.last_ack_ns + 1e3);
  plan(flow.last_ack_ns, flow.number,
       {.from_client = false, .flags = ack_flag, .sequence = 1, .acknowledgment = flow.sequence},
       sent);
  spend(flow, count);
}

void BorderMix::plan_single(std::vector<Flow>& pool, bool is_data) {
  Flow& flow = any(pool);
  if (is_data)
    plan(now_ns_, flow.number,
         {.flags = ack_flag,
          .sequence = flow.sequence,
          .acknowledgment = 1,
          .payload = full_payload},
         -1);
  else
    plan(now_ns_, flow.number,
         {.from_client = false, .flags = ack_flag, .sequence = 1, .acknowledgment = flow.sequence},
         -1);
  flow.sequence += full_payload;
  spend(flow, 1);
}

void BorderMix::plan_scan() {
  plan(now_ns_, flows_++,
       {.flags = syn_flag, .sequence = static_cast<std::uint32_t>(random_.bits()), .window = 1024},
       -1);
}

/// One step of a Poisson process, at a pace that fits the number of packets planned.
void BorderMix::plan_something() {
  const std::uint64_t before = planned_;
  const double scans = border::scanning_flows * static_cast<double>(options_.flows) /
                       static_cast<double>(options_.packets);
  const double bursts = border::data_both_ways / segments_a_burst;
  double choice = random_.uniform() * (bursts + border::data_only + border::acks_only + scans);
  if ((choice -= bursts) < 0)
    plan_burst();
  else if ((choice -= border::data_only) < 0)
    plan_single(data_only_, true);
  else if ((choice -= border::acks_only) < 0)
    plan_single(acks_only_, false);
  else
    plan_scan();
  const double gap = options_.seconds * 1e9 / static_cast<double>(options_.packets);
  now_ns_ += random_.exponential(gap * static_cast<double>(planned_ - before));
}

bool BorderMix::next(LabFrame& frame, std::vector<Sample>& truth) {
  while (planned_ < options_.packets && (pending_.empty() || pending_.top().ns >= now_ns_))
    plan_something();
  if (pending_.empty()) return false;
  const Planned planned = pending_.top();
  pending_.pop();
  const LabEnds ends = LabEnds::of_flow(planned.flow, lab_server_port);
  const Timestamp time = time_at(planned.ns);
  if (planned.asked_ns >= 0) {
    Sample sample = sample_between(ends, true, Kind::tcp);
    sample.time = time;
    sample.delay = time - time_at(planned.asked_ns);
    truth.push_back(sample);
  }
  frame = builder_.tcp(time, ends, planned.segment);
  return true;
}

}  // namespace sojourn
