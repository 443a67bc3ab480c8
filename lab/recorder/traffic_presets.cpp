#include "lab/recorder/traffic_presets.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parse.h"
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

template <class Model, auto options_of>
std::unique_ptr<TrafficModel> make(const TrafficWishes& wishes) {
  return std::make_unique<Model>(options_of(wishes));
}

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

TwoPointOptions two_points_of(const TrafficWishes& wishes, const TwoPointOptions& options) {
  TwoPointOptions made = options;
  BackboneOptions& traffic = made.traffic;
  const ModelChoice* const model = traffic_model_named(wishes.model);
  traffic.model = model && model->backbone ? model->backbone() : BackboneModel::chic();
  traffic.seconds = wishes.duration ? in_seconds(*wishes.duration) : 10;
  const double packets = static_cast<double>(wishes.packets.value_or(100'000));
  traffic.scale = packets / (traffic.model.packets_per_second * traffic.seconds);
  traffic.seed = made.seed = wishes.seed;
  made.loss = wishes.loss.value_or(0);
  made.reorder = wishes.reorder.value_or(0);
  return made;
}

std::span<const ModelChoice> traffic_models() {
  static constexpr std::array all = {
      ModelChoice{.name = "fridge",
                  .make = make<QueryLoad, query_load_of>,
                  .heeds_requests = true,
                  .heeds_longest = true},
      ModelChoice{.name = "isp", .make = make<BorderMix, border_mix_of>, .heeds_packets = true},
      ModelChoice{.name = "bursts", .make = make<QueryLoad, query_load_of>, .heeds_requests = true},
      ModelChoice{.name = "tcp",
                  .make = make<TcpTraffic, tcp_traffic_of>,
                  .heeds_packets = true,
                  .heeds_loss = true},
      ModelChoice{.name = "chic", .backbone = BackboneModel::chic},
      ModelChoice{.name = "sanj", .backbone = BackboneModel::sanj},
      ModelChoice{.name = "ipls", .backbone = BackboneModel::ipls},
  };
  return all;
}

const ModelChoice* traffic_model_named(std::string_view name) {
  const auto all = traffic_models();
  const auto found = std::ranges::find(all, name, &ModelChoice::name);
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string_view> traffic_model_names(
    const std::function<bool(const ModelChoice&)>& which) {
  std::vector<std::string_view> names;
  for (const ModelChoice& model : traffic_models())
    if (which(model)) names.push_back(model.name);
  return names;
}

Result<std::unique_ptr<TrafficModel>> make_traffic(const TrafficWishes& wishes) {
  const ModelChoice* const model = traffic_model_named(wishes.model);
  if (model && model->make) return model->make(wishes);
  const auto is_for_one_point = [](const ModelChoice& choice) { return choice.make != nullptr; };
  return unknown_name(wishes.model, "model for one point", traffic_model_names(is_for_one_point));
}

}  // namespace sojourn
