#include "collector/seen_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace sojourn {

SeenReports SeenReports::parse(std::string_view text) {
  SeenReports seen;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    Range range{0, 0};
    auto read = std::from_chars(at, end, range.first);
    if (read.ec != std::errc{}) break;
    range.last = range.first;
    if (read.ptr < end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, range.last);
    if (read.ec != std::errc{} || range.last < range.first) break;
    if (!seen.ranges_.empty() && range.first <= seen.ranges_.back().last) break;
    seen.ranges_.push_back(range);
    at = read.ptr + 1;
  }
  return seen;
}

std::string SeenReports::to_string() const {
  std::string text;
  for (const Range& range : ranges_) {
    if (!text.empty()) text += ',';
    text += range.first == range.last ? fmt::format("{}", range.first)
                                      : fmt::format("{}-{}", range.first, range.last);
  }
  return text;
}

bool SeenReports::take(std::uint64_t number) {
  if (!ranges_.empty() && ranges_.back().last + 1 == number) {
    ++ranges_.back().last;
    return true;
  }
  // The first range that ends at the number or behind it.
  auto next = std::ranges::lower_bound(ranges_, number, {}, &Range::last);
  if (next != ranges_.end() && next->first <= number) return false;
  const bool touches_next = next != ranges_.end() && next->first == number + 1;
  const bool touches_before = next != ranges_.begin() && (next - 1)->last + 1 == number;
  if (touches_next && touches_before) {
    next->first = (next - 1)->first;
    ranges_.erase(next - 1);
  } else if (touches_next) {
    next->first = number;
  } else if (touches_before) {
    (next - 1)->last = number;
  } else {
    ranges_.insert(next, {number, number});
  }
  if (ranges_.size() > most_ranges) {
    ranges_[1].first = ranges_[0].first;
    ranges_.erase(ranges_.begin());
  }
  return true;
}

}  // namespace sojourn
