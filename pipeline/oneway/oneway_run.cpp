#include "pipeline/oneway/oneway_run.h"

#include <cmath>
#include <utility>

#include "pipeline/oneway/oneway_groups.h"

namespace sojourn {

bool OnewayMeasurement::empty() const {
  // Sketches of different traffic still give some number; reference packets are right about the
  // last point alone.
  const bool unrelated = common && common->count == 0 && result.flows.empty();
  return unrelated || (delays.empty() && !result.total && result.tables.empty());
}

Result<std::unique_ptr<OnewayRun>> OnewayRun::make(const OnewayRunOptions& options,
                                                   DelaySink* sink) {
  auto method = options.method->make(options.setup);
  if (!method) return std::unexpected(method.error());
  AccompaniedMethod* companion = nullptr;
  if (options.method->compares_no_packets) {
    auto accompanied =
        std::make_unique<AccompaniedMethod>(std::move(*method), options.setup.options);
    companion = accompanied.get();
    method = std::move(accompanied);
  }
  return std::unique_ptr<OnewayRun>{new OnewayRun{options, std::move(*method), companion, sink}};
}

OnewayRun::OnewayRun(const OnewayRunOptions& options, std::unique_ptr<OnewayMethod> method,
                     AccompaniedMethod* companion, DelaySink* sink)
    : options_(options),
      method_(std::move(method)),
      companion_(companion),
      sink_(sink),
      points_(*method_, options.setup.options.seed, options.correction, this) {}

bool OnewayRun::step(Point point, Source& source) {
  batch_.resize(OnewayMethod::max_batch);
  const Source::Filled filled = source.next(batch_);
  process(point, std::span{batch_}.first(filled.count));
  return !filled.end;
}

void OnewayRun::take(const OnewayMethod& method, std::span<const DelaySample> delays) {
  delays_ns_.clear();
  backward_ns_.clear();
  for (const DelaySample& sample : delays) {
    if (sample.direction == Direction::backward) {
      backward_ns_.push_back(-to_ns(sample.delay));
      continue;
    }
    delays_ns_.push_back(to_ns(sample.delay));
    skew_.add(sample.sent, sample.delay);
  }
  measured_.delays.add_all(delays_ns_);
  measured_.backward.add_all(backward_ns_);
  if (options_.grouping)
    for (const DelaySample& sample : delays)
      if (const FlowKey* const flow = method.flow(sample.flow);
          flow && sample.direction == Direction::forward)
        measured_.groups.add({group_of(*options_.grouping, *flow)}, sample.delay, 1);
  if (sink_) sink_->take(method, delays);
}

OnewayMeasurement OnewayRun::finish() {
  points_.release();
  measured_.result = method_->finish();
  for (const Point point : {Point::first, Point::last}) {
    measured_.inputs[index_of(point)] = points_.input(point);
    measured_.skipped[index_of(point)] = points_.skipped(point);
  }
  if (!options_.method->samples_packets) add_flow_means(measured_);
  measured_.clocks.offset = clock_offset(measured_.result.flows);
  measured_.clocks.skew = skew_.estimate();
  if (options_.correction.skew) {
    measured_.clocks.skew = options_.correction.skew;
    measured_.clocks.corrected = true;
  }
  if (companion_) measured_.common = companion_->common();
  return std::move(measured_);
}

void add_flow_means(OnewayMeasurement& measured) {
  for (const FlowDelay& flow : measured.result.flows)
    if (flow.mean_ns && flow.direction == Direction::forward)
      measured.delays.add(Duration{std::llround(*flow.mean_ns)});
    else if (flow.mean_ns)
      measured.backward.add(Duration{-std::llround(*flow.mean_ns)});
}

}  // namespace sojourn
