#pragma once
// What is between two points: queues and random delay.  Each gets packets in the order of sending,
// and returns when each is received, or that it was lost.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/lab_packet.h"
#include "lab/random.h"

namespace sojourn {

/// A transmitter that takes `per_byte_ns` for each byte, and its queue.
class Transmitter {
 public:
  Transmitter(std::size_t capacity, double per_byte_ns)
      : departures_(capacity), per_byte_ns_(per_byte_ns) {}

  /// Packets waiting or in transmission at this time.  Times must not go back.
  std::size_t waiting(double now_ns) {
    while (count_ > 0 && departures_[head_] <= now_ns) {
      head_ = head_ + 1 == departures_.size() ? 0 : head_ + 1;
      --count_;
    }
    return count_;
  }
  bool full() const { return count_ == departures_.size(); }
  /// When it became idle, if it is idle now.
  double idle_since() const { return busy_until_; }

  /// Only if not full.  Returns when the last byte has been sent.
  std::int64_t accept(const LabPacket& packet);

 private:
  std::vector<double> departures_;  ///< a ring, in order
  std::size_t head_ = 0, count_ = 0;
  double per_byte_ns_;
  double busy_until_ = 0;
};

/// First in, first out; packets that find the queue full are lost.
class DropTailQueue {
 public:
  struct Options {
    std::size_t capacity = 10'000;  ///< packets
    double bytes_per_second = 1.25e9;
  };
  explicit DropTailQueue(const Options& options)
      : line_(options.capacity, 1e9 / options.bytes_per_second) {}

  Arrival pass(const LabPacket& packet);

 private:
  Transmitter line_;
};

/// Random early detection, Floyd and Jacobson 1993, Fig. 2.  The defaults are those of CNF and RLI
/// for the CHIC and SANJ traces.
class RedQueue {
 public:
  struct Options {
    std::size_t capacity = 10'000;  ///< packets
    double bytes_per_second = 1.25e9;
    double least = 4'000;             ///< min_th: average queue below which nothing is dropped
    double most = 9'000;              ///< max_th: ... at which everything is
    double weight = 0.002;            ///< w_q
    double most_probable = 1.0 / 50;  ///< max_p
    double usual_bytes = 500;         ///< a packet's, to age the average while the queue is empty
  };
  RedQueue(const Options& options, std::uint64_t seed);

  Arrival pass(const LabPacket& packet);
  double average() const { return average_; }  ///< avg of RED; for its test

 private:
  bool dropped_early();

  Options options_;
  Transmitter line_;
  Random random_;
  double average_ = 0;
  std::int64_t since_drop_ = -1;  ///< packets marked "may be dropped" since the last drop
};

/// Weibull delay (Papagiannaki and others 2003, as in CNF) and uniform loss, both independent from
/// packet to packet; so packets may overtake each other, unless `in_order`.
class WeibullPath {
 public:
  struct Options {
    double scale_seconds = 1e-4;
    double shape = 0.6;
    double loss = 0;
    std::int64_t fixed_ns = 0;  ///< propagation, on top
    bool in_order = false;      ///< hold a packet back until those before it have passed
  };
  WeibullPath(const Options& options, std::uint64_t seed) : options_(options), random_(seed) {}

  Arrival pass(const LabPacket& packet);

 private:
  Options options_;
  Random random_;
  std::int64_t latest_ns_ = 0;
};

}  // namespace sojourn
