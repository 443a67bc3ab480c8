#include "lab/query_load.h"

#include <algorithm>
#include <cmath>

#include "lab/delay_mixture.h"

namespace sojourn {
namespace {

constexpr std::uint16_t dns_port = 53;
constexpr double burst_share = 0.2;  // of every second
constexpr std::uint64_t resolvers = 1 << 16;

}  // namespace

QueryLoad::QueryLoad(const QueryLoadOptions& options)
    : options_(options), random_(options.seed), builder_(options.snap_length) {}

bool QueryLoad::in_burst() const { return std::fmod(next_ns_, 1e9) < burst_share * 1e9; }

double QueryLoad::delay_ns() {
  if (options_.longest_ms <= 0) return draw_delay_ns(random_);
  return 1e6 * std::exp2(random_.uniform() * std::log2(options_.longest_ms));
}

/// Some clients repeat their queries, each time from the next port.
LabEnds QueryLoad::ends_of(std::uint64_t number) const {
  LabEnds ends = LabEnds::of_flow(number % resolvers, dns_port);
  ends.client_port = static_cast<std::uint16_t>(32768 + number / resolvers % 32768);
  return ends;
}

LabFrame QueryLoad::ask() {
  const Timestamp time = lab_epoch + Duration{std::llround(next_ns_)};
  const std::uint64_t number = asked_++;
  const bool burst = in_burst();
  if (random_.chance(options_.answered)) {
    const double delay = std::min(delay_ns() * (burst ? options_.burst_delay : 1),
                                  std::max(longest_delay_ns, 1e6 * options_.longest_ms));
    on_their_way_.push({time + Duration{std::llround(delay)}, time, number});
  }
  next_ns_ += 1e9 / (options_.rate * (burst ? options_.burst_rate : 1));
  return builder_.dns(time, ends_of(number), number, false);
}

LabFrame QueryLoad::answer(std::vector<Sample>& truth) {
  const Answer answer = on_their_way_.top();
  on_their_way_.pop();
  const LabEnds ends = ends_of(answer.number);
  Sample sample = sample_between(ends, true, Kind::dns);
  sample.time = answer.time;
  sample.delay = answer.time - answer.asked_at;
  truth.push_back(sample);
  return builder_.dns(answer.time, ends, answer.number, true);
}

bool QueryLoad::next(LabFrame& frame, std::vector<Sample>& truth) {
  const bool more = asked_ < options_.requests;
  const Timestamp next_request = lab_epoch + Duration{std::llround(next_ns_)};
  if (!more && on_their_way_.empty()) return false;
  const bool answer_first =
      !more || (!on_their_way_.empty() && on_their_way_.top().time < next_request);
  frame = answer_first ? answer(truth) : ask();
  return true;
}

}  // namespace sojourn
