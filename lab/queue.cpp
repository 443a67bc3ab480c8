#include "lab/queue.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sojourn {

std::int64_t Transmitter::accept(const LabPacket& packet) {
  assert(!full());
  const double start = std::max(static_cast<double>(packet.sent_ns), busy_until_);
  busy_until_ = start + per_byte_ns_ * packet.bytes;
  std::size_t tail = head_ + count_;
  if (tail >= departures_.size()) tail -= departures_.size();
  departures_[tail] = busy_until_;
  ++count_;
  return std::llround(busy_until_);
}

Arrival DropTailQueue::pass(const LabPacket& packet) {
  line_.waiting(static_cast<double>(packet.sent_ns));
  if (line_.full()) return std::nullopt;
  return line_.accept(packet);
}

RedQueue::RedQueue(const Options& options, std::uint64_t seed)
    : options_(options), line_(options.capacity, 1e9 / options.bytes_per_second), random_(seed) {}

Arrival RedQueue::pass(const LabPacket& packet) {
  const double now = static_cast<double>(packet.sent_ns);
  const std::size_t length = line_.waiting(now);
  if (length > 0) {
    average_ += options_.weight * (static_cast<double>(length) - average_);
  } else {
    // As if so many small packets had arrived at an empty queue (ibid., section 11).
    const double usual_time = options_.usual_bytes * 1e9 / options_.bytes_per_second;
    const double missed = std::max(0.0, now - line_.idle_since()) / usual_time;
    average_ *= std::pow(1 - options_.weight, missed);
  }
  if (dropped_early()) return std::nullopt;
  if (line_.full()) {
    since_drop_ = 0;
    return std::nullopt;
  }
  return line_.accept(packet);
}

bool RedQueue::dropped_early() {
  if (average_ < options_.least) {
    since_drop_ = -1;
    return false;
  }
  if (average_ >= options_.most) {
    since_drop_ = 0;
    return true;
  }
  ++since_drop_;
  const double share = (average_ - options_.least) / (options_.most - options_.least);
  const double base = options_.most_probable * share;
  const double spread = 1 - static_cast<double>(since_drop_) * base;  // evenly spaced drops
  if (spread > 0 && !random_.chance(base / spread)) return false;
  since_drop_ = 0;
  return true;
}

Arrival WeibullPath::pass(const LabPacket& packet) {
  // Both numbers are drawn for every packet, so that the delays do not depend on the loss rate.
  const bool lost = random_.chance(options_.loss);
  const double delay = random_.weibull(options_.scale_seconds, options_.shape);
  std::int64_t arrival = packet.sent_ns + options_.fixed_ns + std::llround(delay * 1e9);
  if (lost) return std::nullopt;
  if (options_.in_order) latest_ns_ = arrival = std::max(arrival, latest_ns_);
  return arrival;
}

}  // namespace sojourn
