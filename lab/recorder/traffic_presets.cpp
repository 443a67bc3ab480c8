#include "lab/recorder/traffic_presets.h"

#include <algorithm>
#include <cmath>

#include "lab/border_shares.h"

namespace sojourn {
namespace {

double in_seconds(Duration duration) { return static_cast<double>(duration.count()) * 1e-9; }

/// The rate and the answered share of FRIDGE's border link, in and out of bursts (METHODS: L4).
constexpr QueryLoadOptions bursts = {.requests = 1'000'000,
                                     .rate = border::requests_a_second,
                                     .answered = border::answered,
                                     .longest_ms = 0,
                                     .burst_rate = 4,
                                     .burst_delay = 5};

}  // namespace

QueryLoadOptions query_load_of(const TrafficWishes& wishes) {
  QueryLoadOptions options;
  if (wishes.model == "bursts") options = bursts;
  options.rate = wishes.rate.value_or(options.rate);
  options.requests = wishes.requests.value_or(options.requests);
  if (wishes.duration)
    options.requests = static_cast<std::uint64_t>(in_seconds(*wishes.duration) * options.rate);
  options.answered = wishes.answered.value_or(options.answered);
  if (wishes.longest) options.longest_ms = in_seconds(*wishes.longest) * 1e3;
  options.snap_length = wishes.snap_length;
  options.seed = wishes.seed;
  return options;
}

BorderMixOptions border_mix_of(const TrafficWishes& wishes) {
  BorderMixOptions options;
  const double flows_a_packet =
      static_cast<double>(options.flows) / static_cast<double>(options.packets);
  const double packets_a_second = static_cast<double>(options.packets) / options.seconds;
  options.packets = wishes.packets.value_or(
      wishes.duration ? static_cast<std::uint64_t>(in_seconds(*wishes.duration) * packets_a_second)
                      : options.packets);
  options.seconds = wishes.duration ? in_seconds(*wishes.duration)
                                    : static_cast<double>(options.packets) / packets_a_second;
  options.flows = wishes.flows.value_or(
      static_cast<std::uint64_t>(std::ceil(static_cast<double>(options.packets) * flows_a_packet)));
  options.snap_length = wishes.snap_length;
  options.seed = wishes.seed;
  return options;
}

TcpTrafficOptions tcp_traffic_of(const TrafficWishes& wishes) {
  constexpr std::uint64_t packets_a_flow = 100;
  TcpTrafficOptions options;
  options.packets =
      wishes.packets.value_or(wishes.flows ? *wishes.flows * packets_a_flow : options.packets);
  options.flows =
      wishes.flows.value_or(std::max<std::uint64_t>(1, options.packets / packets_a_flow));
  if (wishes.duration) options.seconds = in_seconds(*wishes.duration);
  options.loss = wishes.loss.value_or(options.loss);
  options.reorder = wishes.reorder.value_or(options.reorder);
  options.snap_length = wishes.snap_length;
  options.seed = wishes.seed;
  return options;
}

std::unique_ptr<TrafficModel> make_traffic(const TrafficWishes& wishes) {
  if (wishes.model == "isp") return std::make_unique<BorderMix>(border_mix_of(wishes));
  if (wishes.model == "tcp") return std::make_unique<TcpTraffic>(tcp_traffic_of(wishes));
  return std::make_unique<QueryLoad>(query_load_of(wishes));
}

}  // namespace sojourn
