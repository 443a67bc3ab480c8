#include "oneway/rli/rli_receiver.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sojourn {
namespace {

Duration to_duration(double ns) {
  return Duration{static_cast<std::int64_t>(ns < 0 ? ns - 0.5 : ns + 0.5)};
}

}  // namespace

double RliFlow::standard_error_ns() const {
  return delays.count() ? std::sqrt(error) / static_cast<double>(delays.count()) : 0;
}

std::optional<double> RliReceiver::margin_ns(const RliFlow& flow) const {
  constexpr std::uint64_t enough = 3;  // residuals
  const SquaredError& error = options_.estimator == RliEstimator::left_only ? step_ : residual_;
  if (flow.delays.count() == 0 || error.count() < enough) return std::nullopt;
  // A timestamp's error is up to half of its resolution.
  const double least = static_cast<double>(to_ns(options_.time_resolution)) / 2;
  return std::max(least, 1.96 * flow.standard_error_ns());
}

/// Sum over the flow's earlier packets of this stretch, at places u: 1 + 2 sum (1 - (v - u))^2.
double RliReceiver::joint_error(const Waiting& packet, double place) {
  if (packet.flow == flows_.none) return 1;
  RliFlow& flow = flows_[packet.flow];
  begin_stretch(flow);
  const double rest = 1 - place;
  const double shared =
      flow.in_stretch * rest * rest + 2 * rest * flow.places + flow.squared_places;
  flow.places += static_cast<float>(place);
  flow.squared_places += static_cast<float>(place * place);
  return 1 + 2 * shared;
}

void RliReceiver::begin_stretch(RliFlow& flow) {
  if (flow.stretch == stretch_) return;
  flow.stretch = stretch_;
  flow.in_stretch = 0;
  flow.places = flow.squared_places = 0;
}

double RliReceiver::number_in_stretch(const Waiting& packet) const {
  if (packet.flow == flows_.none || flows_[packet.flow].stretch != stretch_) return 1;
  return 1 + static_cast<double>(flows_[packet.flow].in_stretch);
}

RliReceiver::RliReceiver(const Options& options)
    : options_(options),
      ns_a_byte_(options.capacity_bytes_a_second > 0 ? 1e9 / options.capacity_bytes_a_second : 0),
      flows_(options.flow_memory_bytes),
      line_(options.line) {
  buffer_.reserve(std::max<std::size_t>(1, options.buffer_packets));
}

/// Loops rather than one pass, so that the cache misses of a batch overlap.
void RliReceiver::packets(std::span<const ObservedPacket> batch) {
  assert(batch.size() <= max_batch);
  for (const ObservedPacket& packet : batch) flows_.prefetch(packet.flow);
  for (const ObservedPacket& packet : batch) flows_.prefetch_entry(packet.flow);
  counters_.packets += batch.size();
  for (const ObservedPacket& packet : batch) {
    const std::uint32_t flow = flows_.find_or_add(packet.key, packet.flow);
    if (flow == flows_.none)
      ++counters_.not_tracked;
    else
      ++flows_[flow].packets;
    const Waiting waiting{packet.time, packet.bytes, flow};
    if (!left_) {
      ++counters_.before_first;
      previous_ = packet.time;
    } else if (options_.estimator == RliEstimator::left_only) {
      ++counters_.left_only;
      const double n = number_in_stretch(waiting);
      estimate(waiting, left_->delay_ns + size_term_ns(packet.bytes),
               step_.mean() * ((2 * n - 1) / 3 + 1.0 / 6));
    } else {
      buffer_.push_back(waiting);
      if (buffer_.size() == buffer_.capacity()) settle_left();
    }
  }
}

/// A reference sent before the last one was reordered, or is a copy.  Times decide, because a
/// restarted sender also restarts its sequence numbers.
bool RliReceiver::accept(const ReferencePacket& packet) {
  if (!options_.sender) options_.sender = packet.sender;
  if (packet.sender != *options_.sender) {
    ++counters_.other_senders;
    return false;
  }
  if (last_reference_ && packet.sent <= last_reference_->sent) {
    ++counters_.references_reordered;
    return false;
  }
  if (last_reference_) {
    const std::uint32_t missing = packet.sequence - last_reference_->sequence - 1;
    if (missing < 0x8000'0000u) counters_.references_lost += missing;
  }
  last_reference_ = packet;
  ++counters_.references;
  return true;
}

void RliReceiver::reference(const ReferencePacket& packet, Timestamp received) {
  if (!accept(packet)) return;
  const Point point{time_of(received, options_.reference_bytes),
                    static_cast<double>(to_ns(difference(received, packet.sent)))};
  if (left_) {
    learn_error(point);
    stretch_ns_ = static_cast<double>(to_ns(difference(point.time, left_->time)));
    if (options_.estimator == RliEstimator::queue_aware)
      settle_by_idle_times(point, received);
    else
      settle_between(buffer_, *left_, point);
    buffer_.clear();
  }
  before_left_ = left_;
  left_ = point;
  previous_ = received;
  idle_at_left_ = false;
  ++stretch_;
}

/// The line through the neighbours, evaluated at the reference between them; and RLI-L's step.
void RliReceiver::learn_error(const Point& point) {
  step_.add(point.delay_ns - left_->delay_ns);
  if (!before_left_) return;
  const auto whole = static_cast<double>(to_ns(difference(point.time, before_left_->time)));
  const auto part = static_cast<double>(to_ns(difference(left_->time, before_left_->time)));
  const double share = whole > 0 ? part / whole : 0.5;
  const double line = before_left_->delay_ns + share * (point.delay_ns - before_left_->delay_ns);
  residual_.add(left_->delay_ns - line);
}

void RliReceiver::settle_left() {
  counters_.left_only += buffer_.size();
  for (const Waiting& packet : buffer_)
    estimate(packet, left_->delay_ns + size_term_ns(packet.bytes), step_.mean());
  previous_ = buffer_.back().received;
  buffer_.clear();
}

void RliReceiver::settle_between(std::span<const Waiting> stretch, const Point& left,
                                 const Point& right) {
  constexpr std::size_t ahead = 8;
  const auto length = static_cast<double>(to_ns(difference(right.time, left.time)));
  const double slope = length > 0 ? (right.delay_ns - left.delay_ns) / length : 0;
  counters_.interpolated += stretch.size();
  for (std::size_t i = 0; i < stretch.size(); ++i) {
    if (i + ahead < stretch.size()) flows_.prefetch_entry(stretch[i + ahead].flow);
    const Waiting& packet = stretch[i];
    const auto since =
        static_cast<double>(to_ns(difference(time_of(packet.received, packet.bytes), left.time)));
    const double place =
        std::clamp(static_cast<double>(to_ns(difference(packet.received, left_->time))) /
                       std::max(1.0, stretch_ns_),
                   0.0, 1.0);
    estimate(packet, left.delay_ns + since * slope + size_term_ns(packet.bytes),
             residual_.mean() / 3 * joint_error(packet, place));
  }
}

void RliReceiver::estimate(const Waiting& packet, double delay_ns, double error) {
  const Duration delay = to_duration(delay_ns);
  aggregate_.add(delay);
  if (packet.flow == flows_.none) return;
  RliFlow& flow = flows_[packet.flow];
  flow.delays.add(delay);
  begin_stretch(flow);
  ++flow.in_stretch;
  flow.error += error;
}

void RliReceiver::finish() {
  counters_.after_last += buffer_.size();
  buffer_.clear();
}

}  // namespace sojourn
