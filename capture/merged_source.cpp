#include "capture/merged_source.h"

#include <algorithm>

namespace sojourn {

MergedSource::MergedSource(std::vector<std::unique_ptr<Source>> sources) {
  for (auto& source : sources) {
    bytes_stay_ = bytes_stay_ && source->bytes_stay();
    Lane& lane = lanes_.emplace_back();
    lane.source = std::move(source);
    lane.packets.resize(lane_batch);
  }
}

Source::Filled MergedSource::next(std::span<Packet> batch) {
  std::size_t filled = 0;
  while (filled < batch.size()) {
    if (!refill()) break;  // a lane is silent: the earliest packet is unknown
    if (heap_.empty()) break;
    filled += merge(batch.subspan(filled));
    // Refilling a lane whose bytes move would invalidate the packets just returned.
    if (!bytes_stay_) break;
  }
  counters_.packets += filled;
  sum_up();
  return {filled, heap_.empty() && std::ranges::all_of(lanes_, &Lane::ended)};
}

/// Ensures that every lane has a packet to compare, unless it has ended.  False if one has none
/// yet.
bool MergedSource::refill() {
  bool ready = true;
  heap_.clear();
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    if (lane.empty() && !lane.ended) {
      const auto [count, end, in_order] = lane.source->next(lane.packets);
      lane.next = 0;
      lane.count = count;
      lane.ended = end;
    }
    if (!lane.empty())
      heap_.push_back(i);
    else if (!lane.ended)
      ready = false;
  }
  const auto later = [this](std::size_t a, std::size_t b) {
    return std::pair{lanes_[a].time(), a} > std::pair{lanes_[b].time(), b};
  };
  std::ranges::make_heap(heap_, later);
  return ready;
}

/// Returns packets until the batch is full or a lane is empty.
std::size_t MergedSource::merge(std::span<Packet> batch) {
  const auto later = [this](std::size_t a, std::size_t b) {
    return std::pair{lanes_[a].time(), a} > std::pair{lanes_[b].time(), b};
  };
  std::size_t filled = 0;
  while (filled < batch.size()) {
    std::ranges::pop_heap(heap_, later);
    const std::size_t first = heap_.back();
    Lane& lane = lanes_[first];
    // Consecutive captures give long runs: stay with the lane while it is before the others.
    const bool alone = heap_.size() == 1;
    const auto rival = alone ? std::pair{Timestamp::max(), lanes_.size()}
                             : std::pair{lanes_[heap_.front()].time(), heap_.front()};
    do {
      batch[filled] = lane.packets[lane.next++];
      tally_.add(batch[filled++]);
    } while (filled < batch.size() && !lane.empty() && std::pair{lane.time(), first} < rival);
    if (lane.empty()) {
      heap_.pop_back();
      break;
    }
    std::ranges::push_heap(heap_, later);
  }
  return filled;
}

void MergedSource::sum_up() {
  SourceCounters sum;
  for (Lane& lane : lanes_) {
    const SourceCounters& one = lane.source->counters();
    sum.cut_files += one.cut_files;
    sum.bad_blocks += one.bad_blocks;
    sum.clamped_times += one.clamped_times;
    sum.unlikely_times += one.unlikely_times;
    sum.unknown_link += one.unknown_link;
    sum.filtered += one.filtered;
    sum.kernel_drops += one.kernel_drops;
    const auto warnings = lane.source->warnings();
    for (; lane.warnings_seen < warnings.size(); ++lane.warnings_seen)
      warnings_.push_back(warnings[lane.warnings_seen]);
  }
  sum.packets = counters_.packets;
  tally_.report(sum);
  counters_ = sum;
}

double MergedSource::progress() const {
  double sum = 0;
  for (const Lane& lane : lanes_) {
    const double one = lane.source->progress();
    if (one < 0) return -1;
    sum += one;
  }
  return sum / static_cast<double>(lanes_.size());
}

}  // namespace sojourn
