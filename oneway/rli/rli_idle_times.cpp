// Queue-aware interpolation: what the arrival times alone say about the queue.
//
// A busy link delivers packets back to back.  So if the gap before a packet is longer than its
// transmission time, the packet met an empty queue: its delay is known without any reference
// packet.  And a gap behind a packet means that the queue was empty when it had left.

#include <algorithm>
#include <bit>
#include <cmath>

#include "oneway/rli/rli_receiver.h"

namespace sojourn {

bool RliReceiver::was_idle_before(Timestamp received, std::uint32_t bytes,
                                  Timestamp previous) const {
  const double gap = static_cast<double>(to_ns(difference(received, previous)));
  return ns_a_byte_ > 0 &&
         gap > line_.of(bytes) * ns_a_byte_ + static_cast<double>(to_ns(options_.time_resolution));
}

/// A packet behind a gap did not wait, unless other packets on the link are not in the capture.
bool RliReceiver::trusts_gaps() const {
  constexpr std::uint64_t enough = 16;
  return counters_.waited_behind_gaps < enough ||
         counters_.waited_behind_gaps * 10 < counters_.references_behind_gaps;
}

void RliReceiver::watch_line(const Waiting& packet, Timestamp previous) {
  const double passed = static_cast<double>(to_ns(difference(packet.received, previous)));
  spare_.add(passed / ns_a_byte_ - packet.bytes);
  constexpr std::uint64_t often = 1024;
  if (spare_.seen() % often != 0 || options_.line_is_certain) return;
  const std::uint32_t overhead = spare_.overhead(line_.overhead);
  if (overhead >= line_.overhead) return;
  line_ = {.overhead = overhead, .least = 0};
  line_was_lessened_ = true;
}

/// Its wait also follows from the previous reference that met an idle link: a packet's transmission
/// time is longer than the clock drift in between.
void RliReceiver::learn_idle_delay(const Point& reference) {
  if (empty_ns_) {
    const double step = reference.delay_ns - *empty_ns_;
    idle_step_.add(step);
    ++counters_.references_behind_gaps;
    const double shortest_packet = line_.of(options_.reference_bytes) * ns_a_byte_;
    counters_.waited_behind_gaps +=
        std::abs(step) > shortest_packet + static_cast<double>(to_ns(options_.time_resolution));
  }
  empty_ns_ = reference.delay_ns;
}

/// Divides the packets since the last reference into busy periods, and settles each between its
/// known points.  Time is that of the first byte: while a packet waits, those before it are sent,
/// and its own transmission comes after.
void RliReceiver::settle_by_idle_times(const Point& right, Timestamp received) {
  const std::span<const Waiting> all = buffer_;
  Point left = *left_;
  Timestamp previous = *previous_;
  std::size_t begin = 0;
  const auto end_busy_period = [&](std::size_t end) {
    const auto stretch = all.subspan(begin, end - begin);
    // A packet that arrived just when the last packet had left would not have waited.
    if (idle_at_left_)
      settle_busy_period(stretch, left.time);
    else
      settle_between(stretch, left, {previous, *empty_ns_});
    begin = end;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    watch_line(all[i], previous);
    if (empty_ns_ && trusts_gaps() && was_idle_before(all[i].received, all[i].bytes, previous)) {
      end_busy_period(i);
      left = {time_of(all[i].received, all[i].bytes), *empty_ns_};
      idle_at_left_ = true;
      busy_since_ = left.time;
      begin = i + 1;
      ++counters_.interpolated;
      // The errors of this packet and of the reference that gave the empty queue's delay are
      // independent, each half of the squared step between two such references.  The reference's
      // error is common to all packets of the flow: together (n^2 + n) of that half.
      estimate(all[i], *empty_ns_ + size_term_ns(all[i].bytes),
               idle_step_.mean() * number_in_stretch(all[i]));
    }
    previous = all[i].received;
  }
  const bool met_nobody = was_idle_before(received, options_.reference_bytes, previous);
  if (met_nobody) learn_idle_delay(right);
  if (met_nobody && trusts_gaps()) {
    end_busy_period(all.size());
    busy_since_ = right.time;
  } else {
    settle_between(all.subspan(begin), left, right);
    learn_wait(right);
  }
}

namespace {
std::size_t power_of(double since_ns) {
  return std::min<std::size_t>(39, static_cast<std::size_t>(std::bit_width(
                                       static_cast<std::uint64_t>(std::max(0.0, since_ns)))));
}
}  // namespace

void RliReceiver::learn_wait(const Point& reference) {
  if (!busy_since_ || !empty_ns_) return;
  const double since = static_cast<double>(to_ns(difference(reference.time, *busy_since_)));
  const double wait = std::clamp(reference.delay_ns - *empty_ns_, 0.0, std::max(0.0, since));
  const std::size_t power = power_of(since);
  constexpr std::uint32_t memory = 4096;  // references: the load changes slowly
  wait_error_.add(wait - usual_wait(since));
  waits_[power] = std::min(waits_[power] + 1, memory);
  wait_after_[power] += (wait - wait_after_[power]) / waits_[power];
}

double RliReceiver::usual_wait(double since_ns) const {
  const std::size_t power = power_of(since_ns);
  constexpr std::uint32_t enough = 8;
  // Between zero and all the time since the period began.
  return std::clamp(waits_[power] < enough ? since_ns / 2 : wait_after_[power], 0.0,
                    std::max(0.0, since_ns));
}

/// From idle to idle without a reference packet in between: a packet's wait is assumed to be the
/// mean wait of reference packets that came as late in a busy period.
void RliReceiver::settle_busy_period(std::span<const Waiting> stretch, Timestamp begin) {
  counters_.interpolated += stretch.size();
  for (const Waiting& packet : stretch) {
    const auto since =
        static_cast<double>(to_ns(difference(time_of(packet.received, packet.bytes), begin)));
    // Packets of one busy period all wait longer than usual, or all shorter.
    const double error = std::max(wait_error_.mean(), idle_step_.mean());
    estimate(packet, *empty_ns_ + usual_wait(since) + size_term_ns(packet.bytes),
             error * (2 * number_in_stretch(packet) - 1));
  }
}

}  // namespace sojourn
