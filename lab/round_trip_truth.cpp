#include "lab/round_trip_truth.h"

#include <algorithm>

namespace sojourn {
namespace {

/// What `sojourn rtt` waits for an answer, unless told otherwise.
constexpr Duration patience = std::chrono::seconds{10};

/// Packets are overtaken by milliseconds, and windows are 64 segments.
constexpr std::uint32_t farthest_overtaken_bytes = 256 * 1024, farthest_overtaken_ms = 500;

bool is_syn(const LabSegment& segment) {
  return (segment.flags & (syn_flag | ack_flag)) == syn_flag;
}
bool is_syn_ack(const LabSegment& segment) {
  return (segment.flags & (syn_flag | ack_flag)) == (syn_flag | ack_flag);
}

std::uint32_t length_of(const LabSegment& segment) {
  return segment.payload + ((segment.flags & syn_flag) ? 1u : 0u) +
         ((segment.flags & fin_flag) ? 1u : 0u);
}

void report(std::vector<Sample>& found, Sample sample, Timestamp since, Timestamp time) {
  sample.time = time;
  sample.delay = time - since;
  found.push_back(sample);
}

}  // namespace

void RoundTripTruth::ask(List& list, std::uint32_t token, Timestamp time) {
  const auto again = std::ranges::find(list, token, &Waiting::token);
  if (again == list.end())
    list.push_back({token, time});
  else if (time - again->since > patience)
    *again = {token, time};
  else
    again->repeated = true;
}

std::optional<RoundTripTruth::Waiting> RoundTripTruth::answer(List& list, std::uint32_t token,
                                                              Timestamp time) {
  const auto found = std::ranges::find(list, token, &Waiting::token);
  if (found == list.end() || time - found->since > patience) return std::nullopt;
  const Waiting waiting = *found;
  list.erase(found);
  return waiting;
}

/// What lies so far behind the newest answer can be met by no overtaken packet any more.
void RoundTripTruth::forget(List& list, std::uint32_t newest, std::uint32_t reach) {
  if (list.size() < 32) return;
  std::erase_if(list, [&](const Waiting& waiting) { return newer(newest - reach, waiting.token); });
}

void RoundTripTruth::observe(const LabSegment& segment, Timestamp time, const LabEnds& ends,
                             std::vector<Sample>& found) {
  if (is_syn(segment) && !opened_) opened_ = time;
  if ((segment.flags & (fin_flag | rst_flag)) && opened_ && !ended_) {
    ended_ = true;
    Sample sample = sample_between(ends, true, Kind::flow);
    sample.leg = Leg::sum;
    report(found, sample, *opened_, time);
  }
  handshake(segment, time, ends, found);
  if (segment.has_timestamps) stamps(segment, time, ends, found);
  segments(segment, time, ends, found);
}

void RoundTripTruth::handshake(const LabSegment& segment, Timestamp time, const LabEnds& ends,
                               std::vector<Sample>& found) {
  const bool over = side_[0].acknowledged.has_value();
  if (is_syn(segment) && !syn_ack_seen_) {
    ask(to_server_, segment.sequence + 1, time);
    ask(whole_, segment.sequence + 1, time);
  } else if (is_syn_ack(segment) && !over) {
    if (const auto asked = answer(to_server_, segment.acknowledgment, time);
        asked && !asked->repeated)
      report(found, sample_between(ends, true, Kind::handshake), asked->since, time);
    ask(to_client_, segment.sequence + 1, time);
    // Sent again: a time-out lies within the whole.
    if (syn_ack_seen_ && opened_) ask(whole_, segment.acknowledgment, time);
    syn_ack_seen_ = true;
  } else if (segment.from_client && (segment.flags & ack_flag) &&
             !(segment.flags & (syn_flag | rst_flag)) && !over) {
    if (const auto asked = answer(to_client_, segment.acknowledgment, time);
        asked && !asked->repeated)
      report(found, sample_between(ends, false, Kind::handshake), asked->since, time);
    if (const auto asked = answer(whole_, segment.sequence, time); asked && !asked->repeated) {
      Sample sample = sample_between(ends, true, Kind::handshake);
      sample.leg = Leg::sum;
      report(found, sample, asked->since, time);
    }
  }
}

void RoundTripTruth::stamps(const LabSegment& segment, Timestamp time, const LabEnds& ends,
                            std::vector<Sample>& found) {
  Side& mine = side_[segment.from_client ? 0 : 1];
  Side& other = side_[segment.from_client ? 1 : 0];
  if (segment.flags & ack_flag) {
    if (const auto asked = answer(other.stamps, segment.ts_echo, time))
      report(found, sample_between(ends, !segment.from_client, Kind::tcp_ts), asked->since, time);
    forget(other.stamps, segment.ts_echo, farthest_overtaken_ms);
  }
  if (mine.newest_stamp && !newer(segment.ts_value, *mine.newest_stamp)) return;
  mine.newest_stamp = segment.ts_value;
  if (length_of(segment) > 0 && !(segment.flags & rst_flag))
    ask(mine.stamps, segment.ts_value, time);
}

void RoundTripTruth::segments(const LabSegment& segment, Timestamp time, const LabEnds& ends,
                              std::vector<Sample>& found) {
  Side& mine = side_[segment.from_client ? 0 : 1];
  Side& other = side_[segment.from_client ? 1 : 0];
  if (segment.flags & ack_flag) {
    const auto asked = answer(other.segments, segment.acknowledgment, time);
    if (asked && !asked->repeated)
      report(found, sample_between(ends, !segment.from_client, Kind::tcp), asked->since, time);
    if (!mine.acknowledged || newer(segment.acknowledgment, *mine.acknowledged))
      mine.acknowledged = segment.acknowledgment;
    forget(other.segments, *mine.acknowledged, farthest_overtaken_bytes);
  }
  if (length_of(segment) == 0 || (segment.flags & rst_flag)) return;
  const std::uint32_t end = segment.sequence + length_of(segment);
  if (other.acknowledged && !newer(end, *other.acknowledged))
    return;  // sent again though it has arrived
  ask(mine.segments, end, time);
}

}  // namespace sojourn
