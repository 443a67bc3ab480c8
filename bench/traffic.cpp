#include "bench/traffic.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

namespace sojourn::bench {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::uint64_t packets_without_data = 6;  // SYN, SYN-ACK, ACK; FIN, FIN, ACK

/// One end's timestamps clock: milliseconds, from a start of its own (RFC 7323 section 5.4).
struct Clock {
  std::uint32_t start;
  std::uint32_t at(Duration time) const {
    return start + static_cast<std::uint32_t>(time / milliseconds{1});
  }
};

class Planner {
 public:
  Planner(const TrafficOptions& options, Traffic& traffic)
      : options_(options), traffic_(traffic), random_(options.seed) {}

  void plan_flow(std::uint32_t flow, std::uint64_t segments) {
    flow_ = flow;
    sender_ = Clock{static_cast<std::uint32_t>(random_())};
    receiver_ = Clock{static_cast<std::uint32_t>(random_())};
    round_trip_ns_ = 20e6 * std::exp(0.6 * normal_(random_));

    const double whole = static_cast<double>(options_.duration.count());
    const double begin = uniform(0, whole / 2);
    const double life = uniform(whole / 4, whole / 2);
    const Duration established = open(Duration{static_cast<std::int64_t>(begin)});
    const Duration done = transfer(established, life, segments);
    close(done, segments);

    traffic_.truth.tcp += segments + 4;
    traffic_.truth.handshake += 2;
    traffic_.truth.flow += 1;
  }

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution{low, high}(random_);
  }

  Duration round_trip() {
    return Duration{static_cast<std::int64_t>(round_trip_ns_ * std::exp(0.1 * normal_(random_)))};
  }

  void add(Duration time, Step step, std::uint64_t number, std::uint32_t value,
           std::uint32_t echo) {
    traffic_.packets.push_back(
        {time, flow_, static_cast<std::uint32_t>(number), value, echo, step});
  }

  /// The handshake, seen beside the sender of the data: its own answers come at once, the other
  /// end's after a round trip.
  Duration open(Duration begin) {
    const bool client = client_sends(flow_);
    const Clock& opener = client ? sender_ : receiver_;
    const Clock& answerer = client ? receiver_ : sender_;
    const Duration answered = begin + (client ? round_trip() : at_once);
    const Duration established = answered + (client ? at_once : round_trip());
    add(begin, Step::syn, 0, opener.at(begin), 0);
    add(answered, Step::syn_ack, 0, answerer.at(answered), opener.at(begin));
    add(established, Step::established, 0, opener.at(established), answerer.at(answered));
    traffic_.truth.tcp_ts += 2;
    last_sent_ = sender_.at(client ? established : answered);
    last_heard_ = receiver_.at(client ? answered : established);
    return established;
  }

  Duration transfer(Duration established, double life, std::uint64_t segments) {
    std::exponential_distribution<double> gap{static_cast<double>(segments + 1) / life};
    acknowledged_at_.clear();
    std::size_t heard = 0;  // ACKs that reached the sender so far
    Duration sent = established;
    Duration acknowledged = established;
    for (std::uint64_t i = 0; i < segments; ++i) {
      sent += microseconds{1} + Duration{static_cast<std::int64_t>(gap(random_))};
      while (heard < acknowledged_at_.size() && acknowledged_at_[heard] < sent)
        last_heard_ = receiver_.at(acknowledged_at_[heard++]);
      const std::uint32_t value = sender_.at(sent);
      add(sent, Step::data, i, value, last_heard_);
      count_timestamp(value);
      acknowledged = std::max(sent + round_trip(), acknowledged + microseconds{1});
      acknowledged_at_.push_back(acknowledged);
      add(acknowledged, Step::ack, i, receiver_.at(acknowledged), value);
    }
    if (segments > 0) last_heard_ = receiver_.at(acknowledged);
    return std::max(sent, acknowledged);
  }

  void close(Duration done, std::uint64_t segments) {
    const Duration fin = done + milliseconds{1};
    const Duration answer = fin + round_trip();
    const Duration last = answer + at_once;
    add(fin, Step::fin, segments, sender_.at(fin), last_heard_);
    add(answer, Step::fin_ack, segments, receiver_.at(answer), sender_.at(fin));
    add(last, Step::last_ack, segments, sender_.at(last), receiver_.at(answer));
    count_timestamp(sender_.at(fin));
    traffic_.truth.tcp_ts += 1;
  }

  /// Packets within one tick carry one timestamp.  The first of them is timed, if it asks for an
  /// ACK: the one that ends the handshake does not.
  void count_timestamp(std::uint32_t value) {
    if (value != last_sent_) ++traffic_.truth.tcp_ts;
    last_sent_ = value;
  }

  static constexpr Duration at_once = microseconds{50};

  const TrafficOptions& options_;
  Traffic& traffic_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uint32_t flow_ = 0;
  Clock sender_{};
  Clock receiver_{};
  double round_trip_ns_ = 0;
  std::vector<Duration> acknowledged_at_;
  std::uint32_t last_sent_ = 0;   ///< the sender's last timestamp
  std::uint32_t last_heard_ = 0;  ///< receiver's timestamp that the sender echoes
};

}  // namespace

Traffic plan_traffic(const TrafficOptions& options) {
  Traffic traffic;
  traffic.packets.reserve(options.packets);
  Planner planner{options, traffic};
  const std::uint64_t segments = (options.packets - packets_without_data * options.flows) / 2;
  for (std::uint32_t flow = 0; flow < options.flows; ++flow) {
    const bool one_more = flow < segments % options.flows;
    planner.plan_flow(flow, segments / options.flows + (one_more ? 1 : 0));
  }
  // Not stable_sort: clang warns of what libstdc++ 12 uses for it.  The flow makes the order total.
  std::ranges::sort(traffic.packets, {}, [](const PlannedPacket& packet) {
    return std::tuple{packet.time, packet.flow, packet.step, packet.number};
  });
  return traffic;
}

}  // namespace sojourn::bench
