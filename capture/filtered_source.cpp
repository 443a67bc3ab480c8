#include "capture/filtered_source.h"

#include <algorithm>

namespace sojourn {

Result<std::unique_ptr<Source>> FilteredSource::open(std::unique_ptr<Source> source,
                                                     const std::string& expression) {
  std::unique_ptr<FilteredSource> filtered{new FilteredSource{std::move(source), expression}};
  const ForLink& ethernet = filtered->for_link(LinkType::ethernet);
  if (!ethernet.filter) return std::unexpected(ethernet.filter.error());
  return filtered;
}

Source::Filled FilteredSource::next(std::span<Packet> batch) {
  // An empty batch is returned if no packet passes, so that the caller can interrupt a long search.
  const Filled filled = source_->next(batch);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < filled.count; ++i) {
    if (!accepts(batch[i])) continue;
    batch[kept] = batch[i];
    tally_.add(batch[kept]);
    ++kept;
  }
  counters_.packets += kept;
  counters_.filtered += filled.count - kept;
  sum_up();
  return {kept, filled.end};
}

bool FilteredSource::accepts(const Packet& packet) {
  if (filters_[current_].link != packet.link) [[unlikely]]
    current_ = static_cast<std::size_t>(&for_link(packet.link) - filters_.data());
  const auto& filter = filters_[current_].filter;
  return filter && filter->accepts(packet);
}

const FilteredSource::ForLink& FilteredSource::for_link(LinkType link) {
  const auto known = std::ranges::find(filters_, link, &ForLink::link);
  if (known != filters_.end()) return *known;
  filters_.push_back({link, PacketFilter::compile(expression_, link)});
  if (!filters_.back().filter)
    warnings_.push_back(filters_.back().filter.error().message + " (on link type " +
                        std::to_string(static_cast<unsigned>(link)) + ", all of it is skipped)");
  return filters_.back();
}

void FilteredSource::sum_up() {
  const SourceCounters own = counters_;
  counters_ = source_->counters();
  counters_.packets = own.packets;
  tally_.report(counters_);
  counters_.filtered = own.filtered;
  for (const auto warnings = source_->warnings(); warnings_seen_ < warnings.size();
       ++warnings_seen_)
    warnings_.push_back(warnings[warnings_seen_]);
}

}  // namespace sojourn
