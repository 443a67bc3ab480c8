#include "pipeline/point/point_run.h"

#include <algorithm>

#include "pipeline/point/clock_state.h"
#include "pipeline/point/spool_counters.h"

namespace sojourn {
namespace {

RttOptions with_samples(RttOptions options) {
  options.want_samples = true;
  return options;
}

/// A flood of flows must not make one report that fills the memory: then it is sent early.
constexpr std::size_t most_records = 100'000;

}  // namespace

PointRun::PointRun(const PointOptions& options, ipfix::Spool& spool)
    : options_(options),
      spool_(spool),
      locator_(options.oneway.seed),
      cnf_(options.oneway, options.cache),
      cells_(options.cells),
      writer_(options.writer, [this](const ipfix::Message& message) { spool_.append(message); }),
      found_(OnewayMethod::max_batch) {
  if (options_.rtt) rtt_.emplace(with_samples(*options_.rtt), &cells_);
}

void PointRun::process(std::span<const Packet> packets) {
  frames_ += packets.size();
  if (rtt_) rtt_->process(packets);
  while (!packets.empty()) {
    const auto batch = packets.first(std::min(packets.size(), found_.size()));
    cnf_.add({found_.data(), locator_.locate(batch, found_)});
    packets = packets.subspan(batch.size());
  }
  move_records();
}

void PointRun::move_records() {
  for (const FlowRecord& record : cnf_.records()) packets_in_records_ += record.packets;
  records_.insert(records_.end(), cnf_.records().begin(), cnf_.records().end());
  cnf_.clear_records();
}

bool PointRun::advance(Timestamp now) {
  // A clock that steps back does not stop the reports.
  if (now < now_) next_report_ = std::min(next_report_, now + options_.every);
  now_ = now;
  if (next_report_ == Timestamp{}) next_report_ = now + options_.every;
  cnf_.advance(now);
  move_records();
  if (now < next_report_ && records_.size() < most_records) return false;
  report();
  if (now >= next_report_) next_report_ = now + options_.every;
  return true;
}

void PointRun::finish() {
  cnf_.finish();
  move_records();
  if (rtt_) rtt_->finish();
  report();
}

/// Selection and clock first, so that the collector knows what to think of the records; counters
/// last, so that they come when the records they count have come.
void PointRun::report() {
  const PointCounters now = counters();
  cells_.move_to(report_cells_);
  writer_.begin(options_.point, next_number_, now_);
  const LabelOptions& label = options_.oneway.label;
  writer_.selection({.hash = label.function == LabelFunction::ipsx ? "ipsx" : "bob",
                     .sampling = options_.oneway.sampling,
                     .sample_flows = options_.oneway.sample_flows,
                     .secret_fingerprint = options_.secret_fingerprint,
                     .payload_offset = label.payload_offset,
                     .payload_bytes = label.payload_bytes});
  writer_.clock(read_clock_state());
  writer_.flows(records_);
  writer_.cells(report_cells_);
  writer_.counters(now);
  writer_.end();
  next_number_ = writer_.next_number();
  records_.clear();
}

PointCounters PointRun::counters() const {
  std::uint64_t packets = 0;
  for (const FlowRecord& record : records_) packets += record.packets;
  PointCounters counters;
  // What is not IP cannot be selected, but was seen.
  counters.packets_seen = frames_ + passed_over_;
  counters.packets_selected = cnf_.selected();
  counters.packets_not_selected = counters.packets_seen - cnf_.selected();
  counters.packets_in_cache = cnf_.selected() - packets_in_records_;
  put_spool(counters, spool_.counters(), records_.size(), packets);
  counters.packets_dropped = kernel_drops_;
  return counters;
}

std::size_t PointRun::memory_bytes() const {
  std::size_t bytes = cnf_.cache_bytes();
  if (rtt_) bytes += rtt_->memory().table_bytes + rtt_->memory().connection_bytes;
  return bytes;
}

}  // namespace sojourn
