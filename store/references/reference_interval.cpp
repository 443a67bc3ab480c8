#include "store/references/reference_interval.h"

namespace sojourn {

ReferenceSeen& ReferenceSeen::operator+=(const ReferenceSeen& other) {
  references += other.references;
  lost += other.lost;
  reordered += other.reordered;
  of_others += other.of_others;
  off += other.off;
  before_first += other.before_first;
  after_last += other.after_last;
  no_room += other.no_room;
  unread += other.unread;
  return *this;
}

std::uint64_t ReferenceInterval::packets() const {
  std::uint64_t sum = 0;
  for (const ReferenceFlow& flow : flows) sum += flow.packets;
  return sum;
}

std::uint64_t ReferenceInterval::estimated() const {
  std::uint64_t sum = 0;
  for (const ReferenceFlow& flow : flows) sum += flow.estimated;
  return sum;
}

std::uint64_t ReferenceInterval::left_only() const {
  std::uint64_t sum = 0;
  for (const ReferenceFlow& flow : flows) sum += flow.left_only;
  return sum;
}

double ReferenceInterval::mean_ns() const {
  double sum = 0, count = 0;
  for (const ReferenceFlow& flow : flows) {
    sum += flow.mean_ns * static_cast<double>(flow.estimated);
    count += static_cast<double>(flow.estimated);
  }
  return count > 0 ? sum / count : 0;
}

ReferenceInterval& interval_of(std::vector<ReferenceInterval>& list, Timestamp begin,
                               Timestamp end) {
  if (!list.empty() && list.back().begin == begin && list.back().end == end) return list.back();
  return list.emplace_back(ReferenceInterval{begin, end, {}, {}});
}

void append_part(std::vector<ReferenceInterval>& list, const ReferenceInterval& part) {
  ReferenceInterval* into = &interval_of(list, part.begin, part.end);
  if (part.seen && into->seen)
    into = &list.emplace_back(ReferenceInterval{part.begin, part.end, {}, {}});
  if (part.seen) into->seen = part.seen;
  into->flows.insert(into->flows.end(), part.flows.begin(), part.flows.end());
}

}  // namespace sojourn
