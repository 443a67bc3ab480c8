#pragma once
// The models of traffic by name, and what follows from what is wished of them.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/time.h"
#include "lab/border_mix.h"
#include "lab/query_load.h"
#include "lab/tcp_traffic.h"
#include "lab/traffic_model.h"

namespace sojourn {

/// What is not said takes the model's own value.
struct TrafficWishes {
  std::string model = {};  ///< bursts, isp or tcp; all else is fridge
  std::optional<std::uint64_t> requests = {};
  std::optional<std::uint64_t> packets = {};
  std::optional<std::uint64_t> flows = {};
  std::optional<double> rate = {};  ///< requests a second
  std::optional<Duration> duration = {};
  std::optional<Duration> longest = {};
  std::optional<double> answered = {};
  std::optional<double> loss = {};
  std::optional<double> reorder = {};
  std::uint32_t snap_length = 128;
  std::uint64_t seed = 1;
};

/// Of the models fridge and bursts.  A duration says how many requests at the rate.
QueryLoadOptions query_load_of(const TrafficWishes& wishes);
/// Of isp: packets a second and flows per packet stay those of the paper.
BorderMixOptions border_mix_of(const TrafficWishes& wishes);
/// Of tcp: a hundred packets a flow, if only one of the two is said.
TcpTrafficOptions tcp_traffic_of(const TrafficWishes& wishes);

std::unique_ptr<TrafficModel> make_traffic(const TrafficWishes& wishes);

}  // namespace sojourn
