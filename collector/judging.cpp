// What became of the packets of records whose ends did not meet: loss, by counts of flows.
//
// A disconnected point sends late, a point that starts in the middle of a flow sees only a part of
// it, and a collector that ends has not received everything: none of that is loss.  Records that
// are not judged are left out at both ends.

#include "collector/collector.h"

namespace sojourn {

std::uint64_t Collector::lead_of(const IpAddress& destination) const {
  const bool v4 = destination.version() == IpVersion::v4;
  FlowKey key;
  key.destination = destination.masked(v4 ? options_.v4_prefix : options_.v6_prefix);
  return hash_of(hash_key_, key);
}

CellSeries Collector::series_of(std::uint32_t subject, Timestamp at, Measure measure,
                                const IpAddress& destination) {
  CellSeries series;
  series.slice = slice_of(at, finest_slice);
  series.subject = subject;
  series.measure = number_of(measure);
  const std::uint64_t lead = lead_of(destination);
  if (!prefixes_.contains(lead)) {
    if (prefixes_.size() >= options_.most_prefixes) return series;
    prefixes_.insert(lead);
  }
  const bool v4 = destination.version() == IpVersion::v4;
  series.prefix_length = v4 ? options_.v4_prefix : options_.v6_prefix;
  series.prefix = destination.masked(series.prefix_length);
  return series;
}

void Collector::book(const Segment& segment, const WaitingRecord& record, Timestamp at,
                     LossBin bin) {
  const auto packets = static_cast<double>(record.record.packets);
  const FlowTag flow = FlowTag::of(record.flow);
  cells_.add(series_of(segment.subject, at, Measure::loss, record.record.key.destination),
             static_cast<std::int32_t>(bin), flow.group(), std::uint64_t{1} << flow.mark(), packets,
             packets);
}

bool Collector::began_before_points(const WaitingRecord& record, const Segment& segment) const {
  for (const std::uint32_t place : {segment.from, segment.to})
    if (record.record.first < network_.places[place].begin + options_.start_guard) return true;
  return false;
}

bool Collector::can_be_judged(const WaitingRecord& record, const Segment& segment,
                              Timestamp now) const {
  const auto number = static_cast<std::uint32_t>(&segment - network_.segments.data());
  const WaitingRecord::On* on = record.on(number);
  if ((on && on->settled) || record.selection == 0) return false;
  const Place& other = network_.places[record.place == segment.from ? segment.to : segment.from];
  const bool heard = other.last_heard >= now - options_.wait / 2;
  return ((on && on->joined) || (heard && !record.late)) && !began_before_points(record, segment);
}

void Collector::expire_oldest(Timestamp now, Leaving why) {
  WaitingRecord& record = waiting_.oldest();
  // At the end it still waits, in the ledger: the next run of the collector decides about it.
  if (!record.joined && why != Leaving::at_end) {
    auto& accounts = ledger_of(record).accounts;
    --accounts[Account::waiting];
    const bool tells_nothing = !record.first_counts && !record.last_counts;
    ++accounts[record.met_other_selection ? Account::other_selection
               : tells_nothing            ? Account::ambiguous
               : why == Leaving::in_time  ? Account::without_partner
                                          : Account::no_room];
    instances_[record.instance].changed = true;
  }
  if (why == Leaving::in_time || record.joined) judge(record, now);
  waiting_.drop_oldest();
}

void Collector::note_lead(Segment& segment, const IpAddress& destination, Timestamp now) {
  const std::uint64_t lead = lead_of(destination);
  const auto known = segment.leads.find(lead);
  if (known != segment.leads.end())
    known->second = now;
  else if (segment.leads.size() < options_.most_prefixes)
    segment.leads.emplace(lead, now);
}

void Collector::judge(const WaitingRecord& record, Timestamp now) {
  // Where it arrived.
  for (std::size_t i = 0; i < record.segment_count; ++i) {
    const WaitingRecord::On& on = record.segments[i];
    const Segment& segment = network_.segments[on.segment];
    if (segment.to == record.place && can_be_judged(record, segment, now))
      book(segment, record, record.record.last - std::chrono::microseconds{on.delay_us},
           LossBin::arrived);
  }
  const auto came_from = [&](std::uint32_t place) {
    for (std::size_t i = 0; i < record.segment_count; ++i) {
      const Segment& segment = network_.segments[record.segments[i].segment];
      if (segment.from == place && segment.to == record.place) return true;
    }
    return false;
  };
  // Where it left for.
  for (const std::uint32_t number : network_.places[record.place].outgoing) {
    const Segment& segment = network_.segments[number];
    if (!can_be_judged(record, segment, now)) continue;
    if (record.on(number)) {
      book(segment, record, record.record.last, LossBin::sent);
      continue;
    }
    const std::uint64_t prefix = lead_of(record.record.key.destination);
    const auto lead = segment.leads.find(prefix);
    if (lead == segment.leads.end() || now - lead->second > std::chrono::minutes{10}) continue;
    // It came from there, or a prefix with hosts at both ends tells nothing.
    if (came_from(segment.to) ||
        (segment.reverse && network_.segments[*segment.reverse].leads.contains(prefix)))
      continue;
    book(segment, record, record.record.last, segment.named ? LossBin::sent : LossBin::unseen);
  }
}

}  // namespace sojourn
