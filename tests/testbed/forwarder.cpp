#include "tests/testbed/forwarder.h"

#include <fmt/format.h>
#include <poll.h>

#include <ctime>
#include <utility>

#include "core/units.h"

namespace sojourn::testbed {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t slots = 1 << 14;
// Waking from ppoll takes tens of microseconds on a virtual machine.  So we wake early by this
// much and spin for the rest: frames leave 0.1 us late at the median instead of 54 (600 echoes and
// replies at 10 ms, three runs each, 2-vCPU virtual machine under load).
constexpr Duration guard = 80us;
constexpr Duration longest_sleep = 50ms;  // how long a signal may go unnoticed
constexpr std::size_t burst = 64;         // frames of one kind of work before looking at the other
constexpr std::size_t rows_when_idle = 128;

Timestamp now() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return timestamp_from_ns(time.tv_sec * 1'000'000'000LL + time.tv_nsec);
}

}  // namespace

Duration Lateness::bound(double share) const {
  std::uint64_t total = 0, seen = 0;
  for (const auto count : buckets_) total += count;
  std::size_t bucket = 0;
  while (bucket < buckets_.size() &&
         static_cast<double>(seen += buckets_[bucket]) < share * static_cast<double>(total))
    ++bucket;
  return Duration{std::int64_t{1} << std::min<std::size_t>(bucket, 62)};
}

Forwarder::Forwarder(const EmulatorOptions& options, std::array<PacketPort, 2> ports, FrameLog log)
    : ports_(std::move(ports)),
      links_{LinkModel{options.links[0], options.seed}, LinkModel{options.links[1], ~options.seed}},
      duration_(options.duration),
      log_(std::move(log)),
      queue_(slots) {}

bool Forwarder::receive_from(std::size_t direction) {
  for (std::size_t i = 0; i < burst; ++i) {
    const auto frame = ports_[direction].receive();
    if (!frame) return i > 0;
    const auto passage = links_[direction].enter(frame->arrived, frame->length);
    const bool whole = frame->bytes.size() == frame->length;
    Fate fate = passage.fate;
    if (fate != Fate::lost && fate != Fate::queue_drop) {
      if (!whole || !queue_.push(frame->bytes, direction, frame->arrived, passage.leaves, fate))
        fate = Fate::no_room;
      else if (passage.copy_leaves)
        queue_.push(frame->bytes, direction, frame->arrived, *passage.copy_leaves,
                    Fate::duplicated);
    }
    if (fate != passage.fate || fate == Fate::lost || fate == Fate::queue_drop) {
      ++counters_[direction][fate];
      log_.dropped(direction, fate, frame->arrived, frame->bytes, frame->length);
    }
    ports_[direction].release();
  }
  return true;
}

bool Forwarder::send_due() {
  std::size_t sent = 0;
  for (; sent < burst && !queue_.empty(); ++sent) {
    const Timestamp out = now();
    if (queue_.next_time() > out) break;
    const Flight& flight = queue_.next();
    if (ports_[1 - flight.direction].send(flight.bytes())) {
      lateness_.add(out - flight.leaves);
      ++counters_[flight.direction][flight.fate];
      log_.sent(flight.direction, flight.fate, flight.arrived, flight.leaves, out, now(),
                flight.bytes(), flight.captured);
    } else {
      ++counters_[flight.direction][Fate::unsent];
      log_.dropped(flight.direction, Fate::unsent, flight.arrived, flight.bytes(), flight.captured);
    }
    queue_.pop();
  }
  return sent > 0;
}

void Forwarder::wait() const {
  const Duration until_due = queue_.empty() ? longest_sleep : queue_.next_time() - now();
  const Duration sleep = std::min(until_due - guard, longest_sleep);
  if (sleep <= Duration{}) return;  // spin
  const timespec timeout{.tv_sec = 0, .tv_nsec = sleep.count()};
  std::array<pollfd, 2> polled = {
      {{ports_[0].descriptor(), POLLIN, 0}, {ports_[1].descriptor(), POLLIN, 0}}};
  ppoll(polled.data(), polled.size(), &timeout, nullptr);
}

void Forwarder::run(const std::atomic<bool>& stop) {
  const Timestamp end = duration_ ? now() + *duration_ : Timestamp::max();
  while (!stop && now() < end) {
    const bool received_forward = receive_from(0);
    const bool received_backward = receive_from(1);
    if (send_due() || received_forward || received_backward) continue;
    const bool idle = queue_.empty() || queue_.next_time() - now() > 2ms;
    if (idle && log_.has_rows())
      log_.write_some(rows_when_idle);
    else
      wait();
  }
}

Result<std::string> Forwarder::finish() {
  for (; !queue_.empty(); queue_.pop()) {
    const Flight& flight = queue_.next();
    ++counters_[flight.direction][Fate::unsent];
    log_.dropped(flight.direction, Fate::unsent, flight.arrived, flight.bytes(), flight.captured);
  }
  std::string line;
  for (std::size_t direction = 0; direction < 2; ++direction) {
    fmt::format_to(std::back_inserter(line), "{}:", direction_names[direction]);
    for (std::size_t i = 0; i < fate_names.size(); ++i)
      if (const auto count = counters_[direction][static_cast<Fate>(i)])
        fmt::format_to(std::back_inserter(line), " {} {}", count, fate_names[i]);
    fmt::format_to(std::back_inserter(line), " {} missed by the ring; ",
                   ports_[direction].kernel_drops());
  }
  fmt::format_to(std::back_inserter(line), "late by less than {} (half), {} (99%)",
                 format_duration(lateness_.bound(0.5)), format_duration(lateness_.bound(0.99)));
  if (auto closed = log_.close(); !closed) return std::unexpected(closed.error());
  return line;
}

}  // namespace sojourn::testbed
