#include "pipeline/oneway/record_run.h"

#include <algorithm>
#include <cassert>

namespace sojourn {
namespace {

PointInput input_of(std::span<const FlowRecord> records) {
  PointInput input;
  for (const FlowRecord& record : records) {
    input.packets += record.packets;
    if (!input.first || record.first < *input.first) input.first = record.first;
    if (!input.last || record.last > *input.last) input.last = record.last;
  }
  return input;
}

}  // namespace

RecordRun::RecordRun(const OnewaySetup& setup, RecordSink& sink)
    : sink_(sink), point_(setup.options, setup.cnf.cache), locator_(setup.options.seed) {}

void RecordRun::process(std::span<const Packet> packets) {
  while (!packets.empty()) {
    const std::size_t count = std::min(packets.size(), found_.size());
    point_.add(std::span{found_}.first(locator_.locate(packets.first(count), found_)));
    hand_on();
    packets = packets.subspan(count);
  }
}

void RecordRun::run(Source& source, const std::atomic<bool>& interrupted) {
  std::array<Packet, OnewayMethod::max_batch> packets;
  for (bool end = false; !end && !interrupted;) {
    const auto filled = source.next(packets);
    end = filled.end;
    process(std::span{packets}.first(filled.count));
  }
  finish();
}

void RecordRun::finish() {
  point_.finish();
  hand_on();
}

void RecordRun::hand_on() {
  if (point_.records().empty()) return;
  records_ += point_.records().size();
  sink_.take(point_.records());
  point_.clear_records();
}

void take_out_offset(std::span<FlowRecord> last, Duration offset) {
  for (FlowRecord& record : last)
    for (Timestamp* time : {&record.first, &record.last})
      *time = timestamp_from_ns(difference_ns(to_ns(*time), to_ns(offset)));
}

OnewayMeasurement join_records(std::span<const FlowRecord> first, std::span<const FlowRecord> last,
                               const MethodChoice& method, const OnewaySetup& setup) {
  assert(method.joins_records);
  CnfOptions cnf = setup.cnf;
  cnf.estimator = *method.joins_records;
  OnewayMeasurement measured;
  measured.inputs = {input_of(first), input_of(last)};
  measured.result = cnf_result(first, last, setup.options, cnf);
  add_flow_means(measured);
  measured.clocks.offset = clock_offset(measured.result.flows);
  return measured;
}

}  // namespace sojourn
