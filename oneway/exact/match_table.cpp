#include "oneway/exact/match_table.h"

#include <algorithm>
#include <utility>

namespace sojourn {

MatchTable::MatchTable(Duration window, std::size_t initial_lines) : window_ns_(to_ns(window)) {
  resize(std::bit_ceil(std::max<std::size_t>(initial_lines, 32)));
}

void MatchTable::resize(std::size_t lines) {
  const std::size_t before = lines_.memory_bytes();
  lines_ = HugeArray<Line>{lines};
  shift_ = 64 - std::countr_zero(lines);
  used_ = marked_ = since_sweep_ = 0;
  peak_bytes_ = std::max(peak_bytes_, before + lines_.memory_bytes());
}

MatchTable::Meeting MatchTable::meet(std::uint64_t key, Point point, std::int64_t time_ns) {
  Meeting meeting;
  Line* best_line = nullptr;
  std::size_t best_way = 0;
  for (std::size_t index = home(key);; index = after(index)) {
    Line& line = lines_[index];
    for (std::size_t way = 0; way < ways; ++way) {
      const std::uint64_t tag = line.tags[way];
      if (((tag ^ key) & ~low_bits) != 0 || !(tag & waiting_bit)) continue;
      if (point_of(tag) == point) {
        meeting.twin = true;
        continue;
      }
      const std::int64_t distance = difference_ns(time_ns, line.times[way]);
      if (distance > window_ns_ || distance < -window_ns_) continue;
      if (best_line && best_line->times[best_way] <= line.times[way]) continue;
      best_line = &line;
      best_way = way;
    }
    if (!line.spilled) break;
  }
  ++since_sweep_;
  if (!best_line) return meeting;
  meeting.partner = {best_line->times[best_way], best_line->flows[best_way], other(point)};
  best_line->tags[best_way] = 0;
  --used_;
  return meeting;
}

void MatchTable::wait(std::uint64_t key, const Entry& entry) {
  const std::uint64_t last = entry.point == Point::last ? last_bit : 0;
  store((key & ~low_bits) | last | waiting_bit, entry.time_ns, entry.flow);
}

/// The first free slot on the key's probe path; make_room() ensures that there is one.
void MatchTable::store(std::uint64_t tag, std::int64_t time_ns, std::uint32_t flow) {
  for (std::size_t index = home(tag);; index = after(index)) {
    Line& line = lines_[index];
    for (std::size_t way = 0; way < ways; ++way) {
      if (line.tags[way] & waiting_bit) continue;
      line.tags[way] = tag;
      line.times[way] = time_ns;
      line.flows[way] = flow;
      ++used_;
      return;
    }
    marked_ += !line.spilled;
    line.spilled = 1;
  }
}

void MatchTable::sweep(std::size_t packets, const Progress& progress, std::vector<Entry>& expired) {
  const auto is_expired = [&](std::uint64_t tag, std::int64_t time_ns) {
    return difference_ns(progress.of(other(point_of(tag))), time_ns) > window_ns_;
  };
  std::size_t alive = 0;
  for (const Line& line : lines_)
    for (std::size_t way = 0; way < ways; ++way)
      alive += (line.tags[way] & waiting_bit) && !is_expired(line.tags[way], line.times[way]);
  std::size_t lines = lines_.size();
  while (alive + packets > lines / 2) lines *= 2;

  const HugeArray<Line> old = std::exchange(lines_, {});
  resize(lines);
  peak_bytes_ = std::max(peak_bytes_, old.memory_bytes() + lines_.memory_bytes());
  for (const Line& line : old) {
    for (std::size_t way = 0; way < ways; ++way) {
      const std::uint64_t tag = line.tags[way];
      if (!(tag & waiting_bit)) continue;
      if (is_expired(tag, line.times[way]))
        expired.push_back({line.times[way], line.flows[way], point_of(tag)});
      else
        store(tag, line.times[way], line.flows[way]);
    }
  }
}

void MatchTable::take_all(std::vector<Entry>& waiting) {
  for (Line& line : lines_) {
    for (std::size_t way = 0; way < ways; ++way) {
      const std::uint64_t tag = std::exchange(line.tags[way], 0);
      if (tag & waiting_bit) waiting.push_back({line.times[way], line.flows[way], point_of(tag)});
    }
  }
  used_ = 0;
}

}  // namespace sojourn
