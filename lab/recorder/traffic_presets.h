#pragma once
// The models of traffic by name, and what follows from what is wished of them.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "lab/border_mix.h"
#include "lab/query_load.h"
#include "lab/tcp_traffic.h"
#include "lab/traffic_model.h"
#include "lab/two_point.h"

namespace sojourn {

/// What is not said takes the model's own value.
struct TrafficWishes {
  std::string model = {};  ///< a name that traffic_models() has
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

/// Of those for two points: their rates are scaled to the packets that are wished, 100 000 in ten
/// seconds.  `options` has what only two points have.  Without a name it is chic.
TwoPointOptions two_points_of(const TrafficWishes& wishes, const TwoPointOptions& options = {});

/// A model by its name, for one point or for two.
struct ModelChoice {
  std::string_view name;
  /// One point: traffic of which round trips are known.
  std::unique_ptr<TrafficModel> (*make)(const TrafficWishes& wishes) = nullptr;
  BackboneModel (*backbone)() = nullptr;  ///< two points

  // Wishes that only some of those for one point heed.
  bool heeds_requests = false;  ///< and their rate and how many are answered
  bool heeds_longest = false;
  bool heeds_packets = false;  ///< and flows
  bool heeds_loss = false;     ///< and reordering
};

std::span<const ModelChoice> traffic_models();
/// nullptr if there is none.
const ModelChoice* traffic_model_named(std::string_view name);
/// Those of some models, in the order of the list.
std::vector<std::string_view> traffic_model_names(
    const std::function<bool(const ModelChoice&)>& which);

/// Of a model for one point; another name is an error.
Result<std::unique_ptr<TrafficModel>> make_traffic(const TrafficWishes& wishes);

}  // namespace sojourn
