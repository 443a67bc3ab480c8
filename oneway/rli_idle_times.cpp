// Queue-aware interpolation: what the arrival times alone say about the queue.
//
// A link that is never idle delivers packets back to back.  So a gap before a packet that is longer
// than the packet itself takes says that the packet met an empty queue: its delay is known without
// any reference packet.  And a gap behind a packet says that the queue was empty when it had left.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "oneway/rli_receiver.h"

namespace sojourn {

bool RliReceiver::was_idle_before(Timestamp received, std::uint32_t bytes, Timestamp previous) const {
  const double gap = static_cast<double>(to_ns(difference(received, previous)));
  return ns_a_byte_ > 0 && gap > bytes * ns_a_byte_ + static_cast<double>(to_ns(options_.time_resolution));
}

/// Divides the packets since the last reference into busy periods, and settles each between the
/// points that it has.  Time is that of the first byte: while a packet waits, those before it are
/// sent, and its own sending comes after.
void RliReceiver::settle_by_idle_times(const Point& right, Timestamp received) {
  const std::span<const Waiting> all = buffer_;
  Point left = *left_;
  Timestamp previous = *previous_;
  std::size_t begin = 0;
  const auto end_busy_period = [&](std::size_t end) {
    const auto stretch = all.subspan(begin, end - begin);
    // Whoever came just when the last packet had left would have met nobody.
    if (idle_at_left_) settle_busy_period(stretch, left.time);
    else settle_between(stretch, left, {previous, *empty_ns_});
    begin = end;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (empty_ns_ && was_idle_before(all[i].received, all[i].bytes, previous)) {
      end_busy_period(i);
      left = {time_of(all[i].received, all[i].bytes), *empty_ns_};
      idle_at_left_ = true;
      begin = i + 1;
      ++counters_.interpolated;
      estimate(all[i], *empty_ns_ + size_term_ns(all[i].bytes), 0);
    }
    previous = all[i].received;
  }
  if (was_idle_before(received, options_.reference_bytes, previous)) {
    empty_ns_ = right.delay_ns;  // the reference packet itself met nobody
    end_busy_period(all.size());
  } else {
    settle_between(all.subspan(begin), left, right);
  }
}

/// From idle to idle without a reference packet in between.  The waiting time begins and ends at
/// nothing; in between it is an excursion, whose mean for Brownian motion over [0, L] is
/// sqrt(8/pi) sqrt(s^2 L u (1 - u)), u = t/L, with s^2 L the sum of the squared service times.
/// No wait is longer than the time since the period began.
void RliReceiver::settle_busy_period(std::span<const Waiting> stretch, Timestamp begin) {
  if (stretch.empty()) return;
  double squares = 0;
  for (const Waiting& packet : stretch) {
    const double service = packet.bytes * ns_a_byte_;
    squares += service * service;
  }
  const auto length = static_cast<double>(to_ns(difference(stretch.back().received, begin)));
  counters_.interpolated += stretch.size();
  for (const Waiting& packet : stretch) {
    const auto since = static_cast<double>(to_ns(difference(time_of(packet.received, packet.bytes), begin)));
    const double u = length > 0 ? std::clamp(since / length, 0.0, 1.0) : 0;
    const double excursion = std::sqrt(8 / std::numbers::pi * squares * u * (1 - u));
    estimate(packet, *empty_ns_ + std::clamp(excursion, 0.0, since / 2) + size_term_ns(packet.bytes),
             squared_residual_ / 3);
  }
}

}  // namespace sojourn
