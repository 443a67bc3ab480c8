#include "lab/tcp_endpoint.h"

#include <algorithm>

namespace sojourn {
namespace {

constexpr double largest_window = 64;
constexpr int most_backoffs = 6;

std::uint32_t control_length(std::uint8_t flags) {
  return ((flags & syn_flag) ? 1u : 0u) + ((flags & fin_flag) ? 1u : 0u);
}

}  // namespace

std::uint32_t TcpEndpoint::Sent::end() const { return sequence + payload + control_length(flags); }

TcpEndpoint::TcpEndpoint(const Options& options)
    : options_(options), una_(options.isn), next_(options.isn) {}

std::uint32_t TcpEndpoint::stamp(Timestamp now) const {
  return options_.stamp_offset + static_cast<std::uint32_t>(to_ns(now) / 1'000'000);
}

std::size_t TcpEndpoint::in_flight() const {
  return static_cast<std::size_t>(std::ranges::count(outstanding_, false, &Sent::lost));
}

LabSegment TcpEndpoint::make(std::uint8_t flags, std::uint32_t sequence, std::uint32_t payload,
                             Timestamp now) {
  LabSegment segment{
      .from_client = options_.is_client, .flags = flags, .sequence = sequence, .payload = payload};
  if (peer_known_) {
    segment.flags |= ack_flag;
    segment.acknowledgment = expected_;
    unacknowledged_ = 0;
    acknowledge_at_ = never;
  }
  segment.has_timestamps = options_.timestamps;
  if (options_.timestamps) {
    segment.ts_value = stamp(now);
    segment.ts_echo = peer_known_ ? stamp_recent_ : 0;
  }
  return segment;
}

void TcpEndpoint::emit(Sent& sent, Timestamp now, Out& out) {
  sent.lost = false;
  out.push_back(make(sent.flags, sent.sequence, sent.payload, now));
  if (retransmit_at_ == never) restart_timer(now);
}

void TcpEndpoint::emit_ack(Timestamp now, Out& out) {
  out.push_back(make(ack_flag, next_, 0, now));
}

void TcpEndpoint::restart_timer(Timestamp now) {
  const Duration timeout =
      std::max(options_.least_timeout,
               smoothed_ == Duration{0} ? Duration{std::chrono::seconds{1}} : 3 * smoothed_);
  retransmit_at_ = outstanding_.empty() ? never : now + timeout * (1 << backoff_);
}

void TcpEndpoint::open(Timestamp now, Out& out) {
  outstanding_.push_back({next_++, 0, syn_flag});
  timed_ = {next_, now};
  emit(outstanding_.back(), now, out);
}

void TcpEndpoint::write(std::uint64_t bytes, Timestamp now, Out& out) {
  unsent_ += bytes;
  send_more(now, out);
}

void TcpEndpoint::close(Timestamp now, Out& out) {
  fin_wanted_ = true;
  send_more(now, out);
}

void TcpEndpoint::abort(Timestamp now, Out& out) {
  out.push_back(make(rst_flag, next_, 0, now));
  outstanding_.clear();
  unsent_ = 0;
  gave_up_ = true;
  retransmit_at_ = acknowledge_at_ = never;
}

void TcpEndpoint::send_more(Timestamp now, Out& out) {
  if (!established()) return;
  std::size_t flight = in_flight();
  const auto allowed = static_cast<std::size_t>(std::max(1.0, window_));
  for (Sent& sent : outstanding_) {
    if (flight >= allowed) return;
    if (!sent.lost) continue;
    emit(sent, now, out);
    timed_.reset();  // Karn
    ++flight;
  }
  while (flight < allowed && unsent_ > 0) {
    const auto payload =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(unsent_, tcp_segment_bytes));
    unsent_ -= payload;
    outstanding_.push_back(
        {next_, payload, static_cast<std::uint8_t>(unsent_ == 0 ? push_flag : 0)});
    next_ += payload;
    if (!timed_) timed_ = {next_, now};
    emit(outstanding_.back(), now, out);
    ++flight;
  }
  if (fin_wanted_ && !fin_sent_ && unsent_ == 0 && flight < allowed) {
    fin_sent_ = true;
    outstanding_.push_back({next_++, 0, fin_flag});
    emit(outstanding_.back(), now, out);
  }
}

void TcpEndpoint::receive(const LabSegment& segment, Timestamp now, Out& out) {
  if (gave_up_) return;
  if (segment.flags & rst_flag) {
    outstanding_.clear();
    unsent_ = 0;
    gave_up_ = true;
    retransmit_at_ = acknowledge_at_ = never;
    return;
  }
  if (segment.flags & syn_flag) {
    const bool again = peer_known_;
    if (!again) {
      peer_known_ = true;
      expected_ = segment.sequence + 1;
      stamp_recent_ = segment.ts_value;
    }
    if (options_.is_client) {
      take_acknowledgment(segment, now, out);
      emit_ack(now, out);
    } else if (!again) {
      outstanding_.push_back({next_++, 0, syn_flag});
      timed_ = {next_, now};
      emit(outstanding_.back(), now, out);
    } else if (!outstanding_.empty() && (outstanding_.front().flags & syn_flag)) {
      timed_.reset();
      emit(outstanding_.front(), now, out);
    }
    return;
  }
  if (!peer_known_) return;
  // RFC 7323 section 4.3: only what begins at or before the last acknowledgment moves the echo on.
  if (segment.has_timestamps && !newer(segment.sequence, expected_) &&
      !newer(stamp_recent_, segment.ts_value))
    stamp_recent_ = segment.ts_value;
  take_acknowledgment(segment, now, out);
  if (segment.payload + control_length(segment.flags) > 0) take_data(segment, now, out);
  send_more(now, out);
}

void TcpEndpoint::take_acknowledgment(const LabSegment& segment, Timestamp now, Out& out) {
  if (!(segment.flags & ack_flag) || newer(segment.acknowledgment, next_)) return;
  if (newer(segment.acknowledgment, una_)) {
    if (timed_ && !newer(timed_->first, segment.acknowledgment)) {
      const Duration measured = now - timed_->second;
      smoothed_ = smoothed_ == Duration{0} ? measured : (7 * smoothed_ + measured) / 8;
      timed_.reset();
    }
    una_ = segment.acknowledgment;
    while (!outstanding_.empty() && !newer(outstanding_.front().end(), una_))
      outstanding_.pop_front();
    duplicate_acks_ = 0;
    backoff_ = 0;
    if (recover_ && !newer(*recover_, una_)) {
      recover_.reset();
      window_ = threshold_;
    } else if (recover_) {  // a partial acknowledgment: the next one is lost too
      if (!outstanding_.empty() && !outstanding_.front().lost) emit(outstanding_.front(), now, out);
      timed_.reset();
    } else {
      window_ = std::min(largest_window, window_ + (window_ < threshold_ ? 1 : 1 / window_));
    }
    restart_timer(now);
  } else if (segment.acknowledgment == una_ && segment.payload == 0 &&
             control_length(segment.flags) == 0 && !outstanding_.empty()) {
    if (++duplicate_acks_ == 3 && !recover_) {
      threshold_ = std::max(2.0, static_cast<double>(in_flight()) / 2);
      window_ = threshold_;
      recover_ = next_;
      timed_.reset();
      emit(outstanding_.front(), now, out);
      restart_timer(now);
    }
  }
}

void TcpEndpoint::take_data(const LabSegment& segment, Timestamp now, Out& out) {
  const std::uint32_t end = segment.sequence + segment.payload + control_length(segment.flags);
  const bool fin = (segment.flags & fin_flag) != 0;
  bool at_once = fin || !early_.empty();
  if (segment.sequence == expected_) {
    expected_ = end;
    received_ += segment.payload;
    fin_received_ |= fin;
    absorb();
  } else if (newer(segment.sequence, expected_)) {
    at_once = true;
    const bool known = std::ranges::any_of(
        early_, [&](const Range& range) { return range.begin == segment.sequence; });
    if (!known) early_.push_back({segment.sequence, end, fin});
  } else {
    at_once = true;  // a copy of what is here
  }
  // RFC 5681 section 4.2: every second segment at once, also what fills or shows a gap.
  if (at_once || ++unacknowledged_ >= 2)
    emit_ack(now, out);
  else if (acknowledge_at_ == never)
    acknowledge_at_ = now + options_.delayed_ack;
}

void TcpEndpoint::absorb() {
  for (bool again = true; again;) {
    again = false;
    for (const Range& range : early_) {
      if (range.begin != expected_) continue;
      received_ += range.end - range.begin - (range.has_fin ? 1 : 0);
      fin_received_ |= range.has_fin;
      expected_ = range.end;
      again = true;
    }
  }
  std::erase_if(early_, [&](const Range& range) { return !newer(range.end, expected_); });
}

void TcpEndpoint::tick(Timestamp now, Out& out) {
  if (acknowledge_at_ <= now) emit_ack(now, out);
  if (retransmit_at_ > now || outstanding_.empty()) return;
  if (++backoff_ > most_backoffs) {
    abort(now, out);
    return;
  }
  threshold_ = std::max(2.0, static_cast<double>(in_flight()) / 2);
  window_ = 1;
  recover_.reset();
  duplicate_acks_ = 0;
  timed_.reset();
  for (Sent& sent : outstanding_) sent.lost = true;
  emit(outstanding_.front(), now, out);
  restart_timer(now);
}

}  // namespace sojourn
