#pragma once
// Requests and responses with known delays, for the tests of the tables.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include "core/hash.h"
#include "core/time.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/pair_table.h"

namespace sojourn {

/// A simulated link.  Delays are a mixture like that of a border link: 40 % within the city, 45 %
/// across the continent, 15 % slow; median 26 ms, p99 0.7 s.
struct Traffic {
  int requests = 100'000;
  double rate = 100'000;  ///< requests a second; the time to the next is exponential
  double answered = 0.5;
  double rate_factor = 1;  ///< in the second half of the run
  double burst_rate = 1;   ///< during the first fifth of every burst_period
  double burst_delay = 1;  ///< delays grow by this during a burst
  double burst_period_s = 0.2;
  double repeated = 0;  ///< share of requests that are sent again
  double repeat_after_s = 0.05;
};

struct StreamEvent {
  std::int64_t ns;
  std::uint32_t id;
  bool is_request;
};

struct Stream {
  std::vector<StreamEvent> events;      ///< in order of time
  std::vector<std::int64_t> delays_ns;  ///< of all pairs, sorted

  std::int64_t quantile(double q) const {
    return delays_ns[static_cast<std::size_t>(q * static_cast<double>(delays_ns.size() - 1))];
  }
};

/// A repeated request is answered after its repeat, so that a table has to handle both.
inline Stream simulate(const Traffic& traffic, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::uniform_real_distribution<double> uniform{0, 1};
  std::normal_distribution<double> normal;
  Stream stream;
  double now = 0;
  for (std::uint32_t id = 0; id < static_cast<std::uint32_t>(traffic.requests); ++id) {
    const bool burst = std::fmod(now, traffic.burst_period_s) < traffic.burst_period_s / 5;
    const bool second_half = id > static_cast<std::uint32_t>(traffic.requests / 2);
    const double rate =
        traffic.rate * (burst ? traffic.burst_rate : 1) * (second_half ? traffic.rate_factor : 1);
    now -= std::log1p(-uniform(random)) / rate;
    const auto sent = static_cast<std::int64_t>(now * 1e9);
    stream.events.push_back({sent, id, true});
    const bool repeats = uniform(random) < traffic.repeated;
    if (repeats)
      stream.events.push_back(
          {sent + static_cast<std::int64_t>(traffic.repeat_after_s * 1e9), id, true});
    if (uniform(random) >= traffic.answered) continue;
    const double part = uniform(random);
    double delay = part < 0.40   ? 0.004 * std::exp(0.8 * normal(random))
                   : part < 0.85 ? 0.045 * std::exp(0.5 * normal(random))
                                 : 0.180 * std::exp(0.6 * normal(random));
    if (burst) delay *= traffic.burst_delay;
    if (repeats) delay += traffic.repeat_after_s;
    const auto delay_ns = static_cast<std::int64_t>(delay * 1e9) + 1;
    stream.events.push_back({sent + delay_ns, id, false});
    stream.delays_ns.push_back(delay_ns);
  }
  // A total order, so that every library sorts in the same way.
  std::ranges::sort(stream.events, {}, [](const StreamEvent& event) {
    return std::tuple{event.ns, event.id, !event.is_request};
  });
  std::ranges::sort(stream.delays_ns);
  return stream;
}

/// Calls take(match) for every response that finds its request.  The seed draws the keys, so many
/// seeds show the table's average result for the same traffic.
template <class Table, class Take>
void replay(const Stream& stream, Table& table, std::uint64_t seed, Take take,
            std::uint8_t flags = 0) {
  const HashKey hash_key = HashKey::from_seed(seed);
  for (const StreamEvent& event : stream.events) {
    const std::uint64_t key = keyed_hash(hash_key, event.id, 0x5eed);
    const Timestamp time = timestamp_from_ns(event.ns);
    if (event.is_request) {
      table.request(key, time, flags);
    } else if (const auto match = table.response(key, time)) {
      take(*match);
    }
  }
}

}  // namespace sojourn
