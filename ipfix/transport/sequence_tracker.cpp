#include "ipfix/transport/sequence_tracker.h"

namespace sojourn::ipfix {

SequenceTracker::Verdict SequenceTracker::take(std::uint32_t sequence, std::uint32_t records,
                                               bool counted) {
  Verdict verdict;
  const std::uint32_t ahead = sequence - expected_;
  const bool behind = ahead > 0x8000'0000u;
  if (started_ && behind && -ahead <= most_missing) {
    if (records > 0 && fill(sequence, records))
      verdict.missing = -static_cast<std::int64_t>(records);
    else if (records > 0)
      verdict.repeated = true;
    return verdict;
  }
  // A message that could not be counted hides how many were in it: no gap, no verdict.
  if (started_ && ahead > 0 && ahead <= most_missing && expected_is_known_) {
    verdict.missing = ahead;
    if (gaps_.size() == most_gaps) gaps_.erase(gaps_.begin());
    gaps_.push_back({expected_, ahead});
  }
  if (started_ && (behind || ahead > most_missing)) gaps_.clear();
  started_ = true;
  expected_ = sequence + records;
  expected_is_known_ = counted;
  return verdict;
}

bool SequenceTracker::fill(std::uint32_t sequence, std::uint32_t records) {
  for (std::size_t i = 0; i < gaps_.size(); ++i) {
    const Gap gap = gaps_[i];
    const std::uint32_t offset = sequence - gap.begin;
    if (offset >= gap.size || records > gap.size - offset) continue;
    const Gap rest{sequence + records, gap.size - offset - records};
    gaps_[i].size = offset;
    if (offset == 0) gaps_.erase(gaps_.begin() + static_cast<std::ptrdiff_t>(i));
    if (rest.size > 0) gaps_.push_back(rest);
    return true;
  }
  return false;
}

}  // namespace sojourn::ipfix
