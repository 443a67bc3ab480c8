#include "pipeline/point/marking_reports.h"

#include <algorithm>

#include "pipeline/marking/mark_counts.h"
#include "pipeline/point/spool_counters.h"

namespace sojourn {
namespace {

/// Many flows in short intervals must not make one report that fills the memory.
constexpr std::size_t most_counts = 100'000;
constexpr Duration least_between = std::chrono::seconds{1};

}  // namespace

MarkingReports::MarkingReports(const MarkingReportsOptions& options, ipfix::Spool& spool)
    : options_(options),
      spool_(spool),
      writer_(options.writer, [this](const ipfix::Message& m) { spool_.append(m); }) {}

void MarkingReports::take(const MarkingReport& interval) {
  for (MarkCount& count : counts_of(options_.setup, interval)) {
    packets_ += count.packets;
    counts_.push_back(std::move(count));
  }
}

bool MarkingReports::advance(Timestamp now, std::uint64_t left_alone) {
  const Duration every = std::max(options_.run.length(), least_between);
  // A clock that steps back does not stop the reports.
  if (now < now_) next_report_ = std::min(next_report_, now + every);
  now_ = now;
  // Intervals of a second and more are told as soon as they are read.
  const bool is_due = now >= next_report_ || counts_.size() >= most_counts ||
                      (!counts_.empty() && options_.run.length() >= least_between);
  if (!is_due) return false;
  report(now, left_alone);
  return true;
}

void MarkingReports::finish(Timestamp now, std::uint64_t left_alone) {
  options_.run.ended = true;
  report(now, left_alone);
}

/// Counters last, so that they come when the records they count have come.
void MarkingReports::report(Timestamp now, std::uint64_t left_alone) {
  const PointCounters told = counters(left_alone);
  writer_.begin(options_.point, next_number_, now);
  writer_.marks(options_.run, counts_);
  writer_.counters(told);
  writer_.end();
  next_number_ = writer_.next_number();
  counts_.clear();
  next_report_ = now + std::max(options_.run.length(), least_between);
}

PointCounters MarkingReports::counters(std::uint64_t left_alone) const {
  std::uint64_t packets = 0;
  for (const MarkCount& count : counts_) packets += count.packets;
  PointCounters counters;
  counters.packets_selected = packets_;
  counters.packets_not_selected = left_alone;
  counters.packets_seen = packets_ + left_alone;
  put_spool(counters, spool_.counters(), counts_.size(), packets);
  return counters;
}

}  // namespace sojourn
