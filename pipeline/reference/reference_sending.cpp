#include "pipeline/reference/reference_sending.h"

#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <utility>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Duration longest_wait = 50ms;

/// No clock that anybody sets: only distances matter here.
Timestamp monotonic_now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return timestamp_from_ns(time.tv_sec * 1'000'000'000LL + time.tv_nsec);
}

}  // namespace

Result<ReferenceSending> ReferenceSending::open(const AttachmentPoint& point,
                                                const ReferenceSendingOptions& options) {
  auto sender = ReferenceSender::load(options.sender);
  if (!sender) return std::unexpected(sender.error());
  auto socket = ReferenceSocket::open(point.interface, point.index, options.to);
  if (!socket) return std::unexpected(socket.error());
  auto interface = InterfaceCounters::open(point.index);
  if (!interface) return std::unexpected(interface.error());
  auto attachment = Attachment::attach_tc(sender->descriptor(), point, TcDirection::egress);
  if (!attachment) return std::unexpected(attachment.error());
  const sched_param lowest{.sched_priority = 1};
  ::sched_setscheduler(0, SCHED_FIFO, &lowest);
  return ReferenceSending{options, std::move(*sender), std::move(*socket), std::move(*interface),
                          std::move(*attachment)};
}

ReferenceSending::ReferenceSending(const ReferenceSendingOptions& options, ReferenceSender sender,
                                   ReferenceSocket socket, InterfaceCounters interface,
                                   Attachment attachment)
    : options_(options),
      generator_(options.generator),
      sender_(std::move(sender)),
      socket_(std::move(socket)),
      interface_(std::move(interface)),
      attachment_(std::move(attachment)) {}

bool ReferenceSending::is_due(Timestamp now) const {
  const auto limit = generator_.packets_until_due();
  if (limit && sender_.counters().since >= *limit) return true;
  const auto timer = generator_.timer();
  return timer && *timer <= now;
}

void ReferenceSending::send(Timestamp now) {
  const std::uint64_t packets = sender_.begin_gap();
  if (options_.generator.scheme == Injection::adaptive) {
    const std::uint64_t bytes = interface_.sent_bytes();
    generator_.passed(now, packets, bytes - sent_bytes_);
    sent_bytes_ = bytes;
  } else {
    generator_.passed(now, packets, 0);
  }
  if (!socket_.send(options_.sender, sequence_++)) {
    refusal_ = errno;
    ++refused_;
  }
  generator_.injected(now);
  sender_.wake_after(generator_.packets_until_due().value_or(0));
}

void ReferenceSending::wait(Timestamp now) {
  const auto timer = generator_.timer();
  const Duration wait =
      std::clamp(timer ? difference(*timer, now) : longest_wait, Duration{0}, longest_wait);
  const timespec timeout{.tv_sec = 0, .tv_nsec = wait.count()};
  pollfd polled{sender_.wake_descriptor(), POLLIN, 0};
  if (::ppoll(&polled, 1, &timeout, nullptr) > 0) sender_.hear_wake();
}

std::thread ReferenceSending::start(const std::atomic<bool>& stop) {
  std::thread sender{[this, &stop] { run(stop); }};
  const sched_param none{.sched_priority = 0};
  ::sched_setscheduler(0, SCHED_OTHER, &none);  // the caller is in no hurry
  return sender;
}

void ReferenceSending::run(const std::atomic<bool>& stop) {
  ::prctl(PR_SET_TIMERSLACK, 1ul);
  sent_bytes_ = interface_.sent_bytes();
  send(monotonic_now());  // so that the receiver knows a delay from the beginning on
  for (Timestamp next_look{}; !stop;) {
    const Timestamp now = monotonic_now();
    if (now >= next_look) {
      sender_.follow_clock();
      next_look = now + 1s;
    }
    if (is_due(now))
      send(now);
    else
      wait(now);
  }
}

ReferenceSendingCounters ReferenceSending::counters() const {
  const rp_sending seen = sender_.counters();
  return {.packets = seen.packets,
          .references = seen.references,
          .unsent = refused_ + seen.unstamped,
          .refusal = refusal_,
          .utilisation = generator_.utilisation()};
}

}  // namespace sojourn
